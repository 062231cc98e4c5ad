package write

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/bundle"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/modules"
)

func bundleCommand() *cobra.Command {
	var o bundleOptions
	c := &cobra.Command{
		Use: "bundle [flags] INTERPRETER.wasm SCRIPT...", Short: "make a module of an interpreter, such as Lua's or Python's, and scripts",
		Long: `Links scripts into an interpreter that was built for WASI (wasm32-wasip1): the module has its arguments and read-only files in itself, and needs
no file system. A file lies at the root of the module's files under its own name, a directory under its name with everything in it. The
program's arguments are its name, those of --arg, and the path of the first script. It runs once for each batch of objects: it reads a
ConversionReview from standard input and writes one to standard output, as docs/spec/abi.md describes for command modules.

It loads the module once, as a gateway would, and converts the golden cases of the sidecar beside it. sdk/README.md lists interpreters that
were tried. A start may cost 500 million units of fuel on top of the objects'; crosswalk bench shows the cost.
`,
		Example: `crosswalk bundle lua.wasm crontab.lua json.lua -o CronTab.stable.example.com_v1_v2.wasm
crosswalk bundle --arg -I python.wasm converter.py lib -o modules/CronTab.stable.example.com_v1_v2.wasm`,
		Annotations: map[string]string{command.ExampleTest: "TestBundle in cmd/crosswalk"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return command.Usagef("name the interpreter, and the scripts: crosswalk bundle INTERPRETER.wasm SCRIPT…")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), command.StreamsOf(cmd), args[0], args[1:])
		},
	}
	c.Flags().StringVarP(&o.out, "output", "o", "", "the `MODULE` to write, such as CronTab.stable.example.com_v1_v2.wasm")
	c.Flags().StringArrayVar(&o.arguments, "arg", nil, "an `ARGUMENT` of the interpreter before the first script; repeat it for several")
	o.limits.Declare(c.Flags())
	return c
}

type bundleOptions struct {
	compileOptions
	limits    modules.Limits
	arguments []string
}

func (o *bundleOptions) run(ctx context.Context, s command.Streams, interpreter string, scripts []string) error {
	config, err := o.limits.Config(s)
	if err != nil {
		return err
	}
	target, err := o.target("")
	if err != nil {
		return err
	}
	program, err := readUpTo(interpreter, bundle.MaxInterpreter)
	if err != nil {
		return err
	}
	files, err := filesOf(scripts)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(interpreter), ".wasm")
	arguments := append([]string{name}, o.arguments...)
	arguments = append(arguments, "/"+filepath.Base(filepath.Clean(scripts[0])))
	wasm, err := bundle.Module(program, files, arguments)
	if err != nil {
		return command.Findingf("%s: %w", interpreter, err)
	}
	made := &compiled{wasm: wasm, tested: true}
	return made.write(ctx, s, config, interpreter, target)
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
			content, err := readUpTo(p, maxSource)
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
