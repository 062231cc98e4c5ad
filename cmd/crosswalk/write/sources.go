package write

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/definition"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
)

// Sources compiles the rules and the JavaScript among the arguments of a command that takes modules, and puts
// the modules in their places. A module goes to the directory build beside its source, where commands look
// for it, unless it lies beside the source already.
func Sources(cmd *cobra.Command, args []string) error {
	reads := cmd.Name() == "compile" || cmd.Name() == "prove" // sources, and no modules
	if !strings.Contains(cmd.Use, "MODULE") && !reads {
		return nil
	}
	all := args
	if len(args) == 0 {
		all = []string{"."} // the project of crosswalk test
	}
	for i, arg := range all {
		source := arg
		for _, name := range []string{"converter.js", rulesFile} {
			if info, err := os.Stat(filepath.Join(arg, name)); err == nil && info.Mode().IsRegular() {
				source = filepath.Join(arg, name)
			}
		}
		text, err := readSource(source)
		script := filepath.Ext(source) == ".js" || filepath.Ext(source) == ".mjs"
		if err != nil || !script && !(slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(source)) && bytes.Contains(text, []byte("conversions:"))) {
			continue
		}
		name := described(cmd, source, text, script)
		if reads || script && name == "" && source != arg { // what builds the project names the module
			continue
		}
		target := filepath.Join(filepath.Dir(source), name)
		if info, err := os.Stat(target); err != nil || info.IsDir() {
			target = filepath.Join(filepath.Dir(source), "build", name)
		}
		o, s := compileOptions{out: target}, command.StreamsOf(cmd)
		o.limits.Declare(new(cobra.Command).Flags()) // the defaults
		s.Out = io.Discard
		err = o.run(cmd.Context(), s, source, nil)
		if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Op == "mkdir" {
			return fmt.Errorf("the module of %s is made in %s: %w; run the command in a copy of the directory that you may write to", source, filepath.Dir(target), err)
		}
		if err != nil {
			return err
		}
		if source == arg {
			args[i] = target
		}
	}
	return nil
}

// described returns the name of a source's module, and sets --crd to the definition that the rules name, or to
// crd.yaml beside the source. JavaScript has the name of the sidecar beside it, or else the kind and the versions
// of the definition.
func described(cmd *cobra.Command, source string, text []byte, script bool) (name string) {
	kind, crd := "", "crd.yaml"
	if script {
		beside, _ := filepath.Glob(filepath.Join(filepath.Dir(source), "*"+artifact.SidecarEnding))
		for _, file := range beside {
			module := strings.TrimSuffix(filepath.Base(file), artifact.SidecarEnding) + ".wasm"
			if _, err := artifact.ParseName(module); err == nil {
				name = module
			}
		}
	} else if f, err := rules.Parse(text); err == nil {
		name, kind, crd = f.ModuleName(), f.Kind+"."+f.Group, cmp.Or(f.Definition, crd)
	}
	crd = filepath.Join(filepath.Dir(source), filepath.FromSlash(crd))
	d, err := definition.ReadFile(crd, kind)
	if err != nil || kind != "" && kind != d.Kind() {
		return name
	}
	if flag := cmd.Flags().Lookup("crd"); flag != nil && !flag.Changed && cmd.Name() != "convert" && (!script || cmd.Name() != "compile") {
		_ = flag.Value.Set(crd)
	}
	if script && name == "" {
		name = d.Kind()
		for _, v := range d.Schemas.Versions {
			name += "_" + v.Name
		}
		name += ".wasm"
	}
	return name
}
