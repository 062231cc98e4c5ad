package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/prove"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// compiled is a module that has not been written.
type compiled struct {
	name          string         // that the source gives it; "" if it gives none
	wasm, sidecar []byte         // the sidecar is nil if there is none
	tested        bool           // with the sidecar that lies beside the target already
	verdict       *prove.Verdict // about rules with --crd; nil or empty: none
	registers     bool           // whether the source, not the name, decides which conversions the module has
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
	proved := ""
	if c.verdict == nil {
		c.verdict = &prove.Verdict{}
	}
	switch {
	case c.verdict.Answer == prove.Proved:
		proved = ", proved to lose nothing"
		if len(c.verdict.Limits) > 0 {
			proved += ", within limits that crosswalk prove names"
		}
	case c.verdict.Answer != "":
		proved = ", without a proof: crosswalk prove says why"
	}
	fmt.Fprintf(s.Out, "%s: %d KiB%s\n", target, (len(c.wasm)+1023)>>10, proved)
	for _, line := range fuzz.Lines(c.verdict.Measures) {
		fmt.Fprintf(s.Out, "  %s\n", line)
	}
	return nil
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
