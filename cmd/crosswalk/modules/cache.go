package modules

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
)

// maxCache is the maximum size of the compile cache in bytes. A module of Go has 50 MB of code.
const maxCache = 1 << 30

// compileCache returns the cache of compiled modules below the user's cache directory, which the
// process keeps open until it ends; nil if there is none. Like the gateway's --compile-cache, it
// accepts only a directory that no other user can write, and only code that this very program
// wrote. Without a cache, commands take longer and do the same: then another process may use the
// directory, or the system is not Linux.
var compileCache = sync.OnceValue(func() *codecache.Cache {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	dir := filepath.Join(base, "crosswalk")
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil
	}
	cache, err := codecache.Open(dir, maxCache)
	if err != nil {
		return nil
	}
	return cache
})

// Cached returns a configuration that keeps and finds compiled code in the cache.
func Cached(config runtime.OpenConfig) runtime.OpenConfig {
	config.Cache = compileCache()
	return config
}
