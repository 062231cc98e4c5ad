package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/script"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func compileCommand() *cobra.Command {
	var o compileOptions
	c := &cobra.Command{
		Use: "compile [flags] RULES.yaml|CONVERTER.js", Short: "make a module of rules or of JavaScript, without a toolchain",
		Long: `Writes a converter module of a file with rules, which docs/author/rules.md describes: it derives both directions of every conversion from them. Golden
cases in the file become the module's sidecar. Or packs a converter in JavaScript, with the files that it imports, and the engine
(sdk/javascript); its module has the name at --output. Either way, it loads the module once, as a gateway would; the cases
of rules must pass. crosswalk test runs the cases of JavaScript.
`,
		Example: `crosswalk compile rules.yaml
crosswalk compile rules.yaml -o modules
crosswalk compile crontab.js -o CronTab.stable.example.com_v1_v2.wasm`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("name one file: rules such as rules.yaml, or JavaScript such as converter.js")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml", "js", "mjs"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), command.StreamsOf(cmd), args[0])
		},
	}
	c.Flags().StringVarP(&o.out, "output", "o", "", "the `MODULE` to write, or with a slash at the end the directory to write it to (default: the name that the rules give it, in this directory)")
	return c
}

type compileOptions struct{ out string }

// compiled is a module that has not been written.
type compiled struct {
	name          string // that the source gives it; "" if it gives none
	wasm, sidecar []byte // the sidecar is nil if there is none
	tested        bool   // with the sidecar that lies beside the target already
	registers     bool   // whether the source, not the name, decides which conversions the module has
}

// maxSource bounds a source file, before its own reader does.
const maxSource = 16 << 20

func (o *compileOptions) run(ctx context.Context, s command.Streams, source string) error {
	text, err := readSource(source)
	if err != nil {
		return err
	}
	var made *compiled
	switch filepath.Ext(source) {
	case ".js", ".mjs":
		made, err = compileScript(ctx, s, source, text)
	case ".yaml", ".yml", ".json":
		made, err = compileRules(source, text)
	default:
		err = command.Usagef("%s is neither rules (.yaml) nor JavaScript (.js); an SDK compiles other languages (crosswalk init)", source)
	}
	if err != nil {
		return err
	}
	target, err := o.target(made.name)
	if err != nil {
		return err
	}
	return made.write(ctx, s, runtime.OpenConfig{}, source, target)
}

// noConversion begins the refusal of every SDK for a pair of versions that the module does not
// have.
const noConversion = "this module has no conversion from "

// unregistered returns an error for a conversion that the module's name has, and its script does
// not register.
func unregistered(ctx context.Context, m *module.Module) error {
	for _, e := range m.Edges() {
		object := fmt.Sprintf(`{"apiVersion":%q,"kind":%q}`, e.Group+"/"+e.From, e.Kind)
		_, refused, err := m.Convert(ctx, e.Group+"/"+e.From, e.Group+"/"+e.To, [][]byte{[]byte(object)})
		if err == nil && strings.HasPrefix(refused[0], noConversion) {
			return errors.New(refused[0])
		}
	}
	return nil
}

// readSource reads a file up to its bound.
func readSource(path string) ([]byte, error) { return readUpTo(path, maxSource) }

func readUpTo(path string, most int64) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name a file in it", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d MiB", path, most>>20)
	}
	return text, err
}

// compileRules compiles a file with rules. Mistakes in it are findings.
func compileRules(source string, text []byte) (*compiled, error) {
	f, err := rules.Parse(text)
	if err != nil {
		if _, notDefinition := definition.Read(text); notDefinition == nil {
			return nil, command.Findingf("%[1]s has a CustomResourceDefinition, and no rules: crosswalk init --rules --crd %[1]s writes rules for it", source)
		}
		return nil, command.Finding{Err: inFile(source, err)}
	}
	wasm, err := f.Module()
	if err != nil {
		return nil, err
	}
	c := &compiled{name: f.ModuleName(), wasm: wasm}
	if members := f.Sidecar(); members != nil {
		c.sidecar = append([]byte(sidecarHead+" from "+filepath.Base(source)+".\n"), members...)
	}
	return c, nil
}

// compileScript packs a converter in JavaScript. Mistakes in it are findings.
func compileScript(ctx context.Context, s command.Streams, source string, text []byte) (*compiled, error) {
	read := func(name string) ([]byte, error) {
		return readSource(filepath.Join(filepath.Dir(source), filepath.FromSlash(name)))
	}
	wasm, err := script.Pack(ctx, filepath.Base(source), text, read, func(_ uint32, text string) { fmt.Fprintln(s.Err, text) })
	switch {
	case errors.Is(err, script.ErrNoEngine):
		return nil, err
	case err != nil:
		return nil, command.Finding{Err: err}
	}
	return &compiled{wasm: wasm, registers: true}, nil
}

// inFile puts the file's name before every mistake: name:line:column: mistake.
func inFile(name string, err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	var b strings.Builder
	for i, one := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(name + ":")
		if e := (rules.Error{}); !errors.As(one, &e) || e.Line == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(one.Error())
	}
	return errors.New(b.String())
}

// target returns the path of the module to write.
func (o *compileOptions) target(name string) (string, error) {
	path := o.out
	if name == "" && !strings.HasSuffix(path, ".wasm") {
		return "", command.Usagef("name the module with -o: its name has the kind, the group and the versions, such as CronTab.stable.example.com_v1_v2.wasm")
	}
	isDir := strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		isDir = true
	}
	if path == "" || isDir {
		path = filepath.Join(path, name)
	}
	if _, err := artifact.ParseName(filepath.Base(path)); err != nil {
		return "", command.Usagef("--output %s: %w", path, err)
	}
	return path, nil
}

// sidecarHead begins the sidecars that compile writes, and may write again.
const sidecarHead = "# Written by crosswalk compile"

// write loads the module in a directory of its own, as a gateway would, with its golden cases, and
// moves it to its place.
func (c *compiled) write(ctx context.Context, s command.Streams, config runtime.OpenConfig, source, target string) error {
	sidecar := strings.TrimSuffix(target, ".wasm") + ".yaml"
	old, err := os.ReadFile(sidecar)
	if err == nil && c.sidecar != nil && !bytes.HasPrefix(old, []byte(sidecarHead)) {
		return fmt.Errorf("%s was not written by crosswalk compile, and the cases of %s would replace it: move its cases there, and delete it", sidecar, source)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(target), ".crosswalk-compile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, filepath.Base(target))
	if err := os.WriteFile(made, c.wasm, 0o644); err != nil {
		return err
	}
	cases := c.sidecar
	if c.tested {
		cases = old
	}
	if cases != nil {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(sidecar)), cases, 0o644); err != nil {
			return err
		}
	}
	m, err := runtime.Open(ctx, made, config)
	if err != nil {
		return command.Findingf("%s makes a module that a gateway would not serve: %w", source, err)
	}
	if c.registers {
		err = unregistered(ctx, m)
	}
	m.Close()
	if err != nil {
		return command.Findingf("%s does not have the conversions that the name %s says: %w; name the module for them with -o", source, filepath.Base(target), err)
	}
	if c.sidecar != nil { // first, so that no gateway sees the new module with old cases
		if err := os.Rename(filepath.Join(dir, filepath.Base(sidecar)), sidecar); err != nil {
			return err
		}
	}
	if err := os.Rename(made, target); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s: %d KiB\n", target, (len(c.wasm)+1023)>>10)
	return nil
}
