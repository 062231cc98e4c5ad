package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/bundle"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/bounded"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/scaffold"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/script"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

func compileCommand() *cobra.Command {
	var o compileOptions
	c := &cobra.Command{
		Use: "compile [flags] RULES.yaml|CONVERTER.js|INTERPRETER.wasm [SCRIPT...]", Short: "make a module of rules, JavaScript or scripts",
		Long: `Writes a converter module, and loads it once, as a gateway would. The source is one of three:

Rules (docs/author/rules.md). Golden cases in the file become the module's sidecar, and must pass.

A converter in JavaScript (sdk/javascript), which compile packs with the files that it imports and the engine. Name the module with
--output. crosswalk test runs its golden cases.

An interpreter that was built for WASI, such as Lua's or Python's, and scripts (sdk/README.md). compile links the scripts into it as
read-only files at the root, a directory with everything in it. The program's arguments are its name, the values of --arg, and the path of the first
script. It runs once for each batch of objects. The golden cases of the sidecar beside the module must pass.
`,
		Example: `crosswalk compile rules.yaml
crosswalk compile rules.yaml -o modules
crosswalk compile crontab.js -o CronTab.stable.example.com_v1_v2.wasm
crosswalk compile lua.wasm crontab.lua json.lua -o CronTab.stable.example.com_v1_v2.wasm
crosswalk compile --arg -I python.wasm converter.py lib -o modules/CronTab.stable.example.com_v1_v2.wasm`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 1 && filepath.Ext(args[0]) != ".wasm" {
				return command.Usagef("name one file: rules such as rules.yaml, or JavaScript such as converter.js; or an interpreter such as lua.wasm, and its scripts")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml", "js", "mjs", "wasm"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), command.StreamsOf(cmd), args[0], args[1:])
		},
	}
	c.Flags().StringVarP(&o.out, "output", "o", "", "the `MODULE` to write, or with a slash at the end the directory to write it to (default: the name that the rules give it, in this directory)")
	c.Flags().StringArrayVar(&o.arguments, "arg", nil, "an `ARGUMENT` of the interpreter before the first script; repeat it for several")
	c.Flags().StringVar(&o.crd, "crd", "", "`FILE` with the CustomResourceDefinition: refuse rules that name a field which its schemas do not have, and have the module state that they are proved, if they are")
	command.CompleteFlag(c, "crd", command.CompleteDefinitions)
	o.limits.Declare(c.Flags())
	return c
}

type compileOptions struct {
	out, crd  string
	arguments []string
	limits    modules.Limits
}

// maxSource bounds a source file, before its own reader does.
const maxSource = 16 << 20

func (o *compileOptions) run(ctx context.Context, s command.Streams, source string, scripts []string) error {
	config, err := o.limits.Config(s)
	if err != nil {
		return err
	}
	if filepath.Ext(source) != ".wasm" {
		config.Logger = nil // rules log nothing, and Pack shows the lines of JavaScript
		if len(o.arguments) > 0 {
			return command.Usagef("--arg is for an interpreter such as lua.wasm: omit it for %s", source)
		}
	}
	if o.crd != "" && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(source)) {
		return command.Usagef("--crd is for rules: omit it for %s", source)
	}
	var made *compiled
	switch filepath.Ext(source) {
	case ".wasm":
		made, err = compileInterpreter(source, o.arguments, scripts)
	case ".js", ".mjs":
		made, err = compileScript(ctx, s, source)
	case ".yaml", ".yml", ".json":
		made, err = o.compileRules(ctx, source)
	case ".ts", ".mts", ".tsx":
		err = command.Usagef("%s is TypeScript: make JavaScript of it first, for example with npx esbuild %[1]s --bundle --format=esm --external:crosswalk-javascript --outfile=%[2]s, and compile that (sdk/javascript)", source, strings.TrimSuffix(source, filepath.Ext(source))+".js")
	default:
		if _, err = readSource(source); err == nil {
			err = command.Usagef("%s is neither rules (.yaml) nor JavaScript (.js) nor an interpreter (.wasm); an SDK compiles other languages (crosswalk init)", source)
		}
	}
	if err != nil {
		return err
	}
	target, err := o.target(made.name)
	if err != nil {
		return err
	}
	return made.write(ctx, s, config, source, target)
}

// readSource reads a file up to its bound.
func readSource(path string) ([]byte, error) { return bounded.ReadFile(path, maxSource) }

// compileRules compiles a file with rules. Mistakes in it are findings.
func (o *compileOptions) compileRules(ctx context.Context, source string) (*compiled, error) {
	text, err := readSource(source)
	if err != nil {
		return nil, err
	}
	f, err := rules.Parse(text)
	if err != nil {
		if _, notDefinition := definition.Read(text); notDefinition == nil {
			return nil, command.Findingf("%[1]s has a CustomResourceDefinition, and no rules: crosswalk init --rules --crd %[1]s writes rules for it", source)
		}
		return nil, command.Finding{Err: inFile(source, err)}
	}
	verdict := &prove.Verdict{}
	if o.crd != "" {
		d, err := modules.Definition(f.Kind, f.Group, source, o.crd)
		if err != nil {
			return nil, err
		}
		if err := f.Check(inSchemas(d.Schemas)); err != nil {
			return nil, command.Finding{Err: inFile(source, err)}
		}
		if verdict, err = prove.State(ctx, f, text, d.CRD); err != nil {
			return nil, err
		}
		if len(verdict.Mistyped) > 0 {
			var all []error
			for _, o := range verdict.Mistyped {
				all = append(all, syntax.Error{Line: o.Line, Column: 1, Text: o.Path + ": " + o.Text})
			}
			return nil, command.Finding{Err: inFile(source, errors.Join(all...))}
		}
	}
	wasm, err := f.Module()
	if err != nil {
		return nil, err
	}
	c := &compiled{name: f.ModuleName(), wasm: wasm, verdict: verdict}
	if members := f.Sidecar(); members != nil {
		c.sidecar = append([]byte(sidecarHead+" from "+filepath.Base(source)+".\n"), members...)
	}
	return c, nil
}

// inSchemas returns a function that reports whether the schema of a version has a field. It has none
// of a version that the definition does not have.
func inSchemas(crd *schema.CRD) func(version, field string) bool {
	return func(version, field string) bool {
		for i := range crd.Versions {
			if v := &crd.Versions[i]; v.Name == version {
				return scaffold.InSchema(v, field)
			}
		}
		return false
	}
}

// compileScript packs a converter in JavaScript. Mistakes in it are findings.
func compileScript(ctx context.Context, s command.Streams, source string) (*compiled, error) {
	text, err := readSource(source)
	if err != nil {
		return nil, err
	}
	read := func(name string) ([]byte, error) {
		imported := filepath.Join(filepath.Dir(source), filepath.FromSlash(name))
		if info, err := os.Stat(imported); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", imported) // reading a pipe may never end
		}
		return readSource(imported)
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
		if e := (syntax.Error{}); !errors.As(one, &e) || e.Line == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(one.Error())
	}
	return errors.New(b.String())
}

// compileInterpreter links scripts into an interpreter, with arguments before the first script.
// Mistakes in the interpreter are findings.
func compileInterpreter(interpreter string, arguments, scripts []string) (*compiled, error) {
	program, err := bounded.ReadFile(interpreter, bundle.MaxInterpreter)
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(program, []byte("\x00asm\x0d\x00\x01\x00")):
		return nil, command.Usagef("%s is a component; only core modules can be run: build the same source for wasm32-wasip1, or name an interpreter and scripts (see Interpreters in sdk/README.md)", interpreter)
	case len(scripts) == 0:
		return nil, command.Usagef("name the scripts, too: crosswalk compile %s SCRIPT…", interpreter)
	}
	files, err := filesOf(scripts)
	if err != nil {
		return nil, err
	}
	all := append([]string{strings.TrimSuffix(filepath.Base(interpreter), ".wasm")}, arguments...)
	all = append(all, "/"+filepath.Base(filepath.Clean(scripts[0])))
	wasm, err := bundle.Module(program, files, all)
	if err != nil {
		return nil, command.Findingf("%s: %w", interpreter, err)
	}
	return &compiled{wasm: wasm, tested: true}, nil
}

// filesOf reads files and directories, which may have any size: it stops at the bound of a module.
func filesOf(names []string) (files []bundle.File, err error) {
	size := 0
	for _, name := range names {
		base := filepath.Base(filepath.Clean(name))
		if base == "." || base == ".." || base == string(filepath.Separator) {
			return nil, command.Usagef("%s has no name in the module: name its files, or the directory by its name", name)
		}
		err := filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() {
				return errors.Join(err, fmt.Errorf("%s is not a regular file", p))
			}
			below, err := filepath.Rel(name, p)
			if err != nil {
				return err
			}
			content, err := readSource(p)
			if size += len(content); err == nil && (size > bundle.MaxContent || len(files) >= bundle.MaxFiles) {
				err = fmt.Errorf("%s: more than %d files or %d MiB for a module", name, bundle.MaxFiles, bundle.MaxContent>>20)
			}
			files = append(files, bundle.File{Path: path.Join(base, filepath.ToSlash(below)), Content: content})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
