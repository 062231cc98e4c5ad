package runtime

import (
	"context"
	"encoding/json"

	"github.com/crosswalk-gateway/crosswalk/internal/codecache"
	"github.com/crosswalk-gateway/crosswalk/internal/watch"
	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
)

// compile gives a module its engine: with code from the compile cache, or else, once the module is vetted, from the compiler. Code in the
// cache needs no vetting: it is there because a module of the same bytes, under the same limits, was vetted, compiled and tried by
// the same program.
//
// done must be called when the module was tried, with whether it proved itself: only then is its code kept.
func (l *loader) compile(ctx context.Context, m *Module, rewritten *meter.Rewritten, file watch.File, beside *watch.File) (done func(sound bool), err error) {
	compileCtx, cancel := context.WithTimeout(ctx, m.limits.CompileTime)
	defer cancel()
	key := l.cacheKey(m)
	if l.cache != nil {
		if m.engine, err = l.fromCache(compileCtx, key, m, rewritten); err == nil && m.engine != nil {
			l.metrics.cacheLoads.WithLabelValues("hit").Inc()
			return func(sound bool) {
				if !sound {
					l.cache.Remove(key)
				}
			}, nil
		}
		result := "miss"
		if err != nil {
			result = "damaged"
			m.logger.Warn("the compile cache has no good code for the module; it is compiled anew", "err", err)
		}
		l.metrics.cacheLoads.WithLabelValues(result).Inc()
	}

	if l.vetter != nil {
		if err := l.vetter.vetWith(ctx, m.name, file, beside); err != nil {
			return nil, err
		}
		cancel()
		compileCtx, cancel = context.WithTimeout(ctx, m.limits.CompileTime) // vetting has had its own
		defer cancel()
	}
	if l.cache != nil {
		if draft, err := l.cache.Begin(); err != nil {
			m.logger.Warn("the module's code cannot be kept in the compile cache", "err", err)
		} else if m.engine, err = newEngine(compileCtx, rewritten, m.limits, l.interpret, draft.Dir()); err != nil {
			draft.Drop() // it may be the disk's fault and not the module's
		} else {
			return func(sound bool) {
				if !sound {
					draft.Drop()
				} else if err := draft.Keep(key); err != nil {
					m.logger.Warn("the module's code cannot be kept in the compile cache", "err", err)
				}
			}, nil
		}
	}
	m.engine, err = newEngine(compileCtx, rewritten, m.limits, l.interpret, "")
	return func(bool) {}, err
}

// fromCache returns an engine with code from the cache, nil if it has none. An error means that what it had was no good, and is gone.
func (l *loader) fromCache(ctx context.Context, key codecache.Key, m *Module, rewritten *meter.Rewritten) (*engine, error) {
	dir, release, err := l.cache.Find(key)
	if err != nil || dir == "" {
		return nil, err
	}
	defer release()
	e, err := newEngine(ctx, rewritten, m.limits, l.interpret, dir)
	if err != nil {
		l.cache.Remove(key) // the engine itself does not, and would stumble over it for ever (faults.md M19)
		return nil, err
	}
	return e, nil
}

// cacheKey is what a module's code and the verdict on it depend on besides the program: the module, its sidecar, its name, for that says what it
// is tried with, the limits, and whether modules are vetted.
func (l *loader) cacheKey(m *Module) codecache.Key {
	if l.cache == nil {
		return codecache.Key{}
	}
	limits, _ := json.Marshal(l.limits) // numbers only; the sidecar, which may change them for the module, is part of its identity
	vetted := []byte("vetted")
	if l.vetter == nil {
		vetted = nil
	}
	return l.cache.Key([]byte(m.name.File), m.identity[:], limits, vetted)
}
