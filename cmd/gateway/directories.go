package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// verifyKeys reads the public keys of --verify-key.
func verifyKeys(file string) (sums.Keys, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--verify-key: %w", err)
	}
	keys, err := sums.ReadKeys(content)
	if err != nil {
		return nil, fmt.Errorf("--verify-key %s: %w", file, err)
	}
	return keys, nil
}

// checkDirectory returns an error that names the flag if a directory of modules does not exist.
func checkDirectory(flag, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s %s: the directory does not exist: create or mount it; modules can be added later", flag, dir)
	case err != nil:
		return fmt.Errorf("%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: not a directory: use the directory that contains the .wasm files", flag, dir)
	}
	return nil
}

// codeBytes is about how many bytes of code the compiler generates for each byte of a module.
const codeBytes = 4

// compileCache opens --compile-cache. It returns nil without the flag, and also if another gateway
// uses the directory, because a gateway without a cache only starts more slowly.
func (o *options) compileCache(logger *slog.Logger) (*codecache.Cache, error) {
	if o.compileCacheDir == "" {
		return nil, nil
	}
	cache, err := codecache.Open(o.compileCacheDir, codeBytes*int64(module.Limits{}.WithDefaults().DirectoryBytes))
	switch {
	case errors.Is(err, codecache.ErrInUse):
		logger.Warn("another process uses the directory of --compile-cache; modules are compiled without it", "dir", o.compileCacheDir)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("--compile-cache %s: %w", o.compileCacheDir, err)
	}
	return cache, nil
}

// servedFile is the file that keeps which modules serve; empty without a compile cache.
func servedFile(code *codecache.Cache) string {
	if code == nil {
		return ""
	}
	return code.Path("served")
}
