package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
)

// codeBytes is about how many bytes of code the compiler generates for each byte of a module.
const codeBytes = 4

// compileCache opens --compile-cache. It returns nil without the flag, and also if another gateway
// uses the directory, because a gateway without a cache only starts more slowly.
func (o *options) compileCache(logger *slog.Logger) (*codecache.Cache, error) {
	if o.compileCacheDir == "" {
		return nil, nil
	}
	cache, err := codecache.Open(o.compileCacheDir, codeBytes*int64(maxDirectoryBytes))
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
