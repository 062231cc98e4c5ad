// Package script makes converter modules of JavaScript: it runs a script in the engine of
// sdk/javascript once, and writes a module that begins where this run ended. The engine is in the
// program, so authors need neither Node.js nor npm. Each module contains its engine, because an
// engine in the gateway would be one more component that hostile input reaches, and because the
// module keeps the version with which it was tested.
package script

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// engineFiles has engine.wasm if make engine was run before this program was built.
//
//go:embed engine
var engineFiles embed.FS

// ErrNoEngine says that this program was built without the engine.
var ErrNoEngine = errors.New("this crosswalk was built without the JavaScript engine: use a released crosswalk, or run make engine build in a clone of the repository (Node.js 20 or later)")

// Engine returns the engine in this program.
func Engine() ([]byte, error) {
	engine, err := engineFiles.ReadFile("engine/engine.wasm")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoEngine
	}
	return engine, err
}

// own are the modules that a script may import besides its own files, and their files in
// sdk/javascript. The order is that of sdk/javascript/pack/engine.js, which makes the same bytes.
var own = [][2]string{
	{"crosswalk-javascript", "engine/module.js"},
	{"crosswalk-javascript/crosswalk.js", "crosswalk.js"},
	{"crosswalk-javascript/json.js", "json.js"},
	{"crosswalk-javascript/operations.js", "operations.js"},
}

// Limits of packing: a script runs for as long as its first lines take, usually milliseconds.
const (
	timeout    = 30 * time.Second
	maxPages   = 64 << 20 >> 16 // of memory
	maxSources = 1000
)

// source is a file that the engine loads.
type source struct {
	name string
	text []byte
}

// Pack returns the module of a script. read returns the text of a file that the script imports, by
// its path relative to the script's directory. log gets the lines that the script logs meanwhile.
//
// # Errors
//
// The script has a syntax error, throws, or imports a file that cannot be packed; [ErrNoEngine].
func Pack(ctx context.Context, name string, text []byte, read func(name string) ([]byte, error), log func(level uint32, text string)) ([]byte, error) {
	engine, err := Engine()
	if err != nil {
		return nil, err
	}
	files, err := sdk.Files("javascript")
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, o := range own {
		text, err := fs.ReadFile(files, o[1])
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{o[0], text})
	}
	sources = append(sources, source{name, text})
	e, err := compile(ctx, engine, log)
	if err != nil {
		return nil, err
	}
	defer e.close()
	ctx, cancel := context.WithTimeout(ctx, timeout) // compiling the engine takes seconds of a busy machine: not the script's fault
	defer cancel()
	// The engine reports the first import that it lacks, and begins again with that file.
	for {
		module, missing, err := e.run(ctx, name, sources)
		if missing == "" {
			return module, err
		}
		if err := packable(name, missing, sources); err != nil {
			return nil, err
		}
		text, err := read(path.Clean(missing))
		if err != nil {
			return nil, fmt.Errorf("the import of %q: %w", missing, err)
		}
		sources = append(sources, source{missing, text})
	}
}

// packable reports an import that cannot be packed.
func packable(name, missing string, sources []source) error {
	again := false
	for _, s := range sources {
		again = again || s.name == missing
	}
	if again || !strings.HasPrefix(missing, "..") && !strings.HasSuffix(missing, ".js") && !strings.HasSuffix(missing, ".mjs") {
		return fmt.Errorf(`%s imports %q: only files with "./" or "../" and the ending .js, and "crosswalk-javascript", can be packed; for others use a bundler, such as esbuild --bundle --format=esm --external:crosswalk-javascript`, name, missing)
	}
	if len(sources) > maxSources {
		return fmt.Errorf("%s imports more than %d files", name, maxSources)
	}
	return nil
}
