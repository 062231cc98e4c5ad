package load

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/crosswalk-gateway/crosswalk/runtime/codecache"
)

// compile compiles a candidate: with code from the compile cache, or from the vetting child,
// or, without either, from the compiler. Code in the cache needs no vetting: the same program has
// vetted, compiled and tried a module of the same bytes under the same limits. Before a file was
// vetted, this process does not look into it.
//
// The caller must call done after it tried the module, with the error if it does not work: then its
// code is not kept. Code in the cache stays if the module only lacks room.
func (l *Loader) compile(ctx context.Context, c *candidate) (done func(failed error), err error) {
	key := l.cacheKey(c)
	if l.cache != nil {
		found, err := l.fromCache(ctx, key, c)
		if errors.As(err, new(noRoom)) {
			return nil, err
		}
		if found && err == nil {
			l.metrics.cacheLoads.WithLabelValues("hit").Inc()
			return func(failed error) {
				if failed != nil && !errors.As(failed, new(noRoom)) {
					l.cache.Remove(key)
				}
			}, nil
		}
		result := "miss"
		if err != nil {
			result = "damaged"
			c.logger.Warn("invalid entry in the compile cache; compiling the module again", "err", err)
		}
		l.metrics.cacheLoads.WithLabelValues(result).Inc()
	}

	handed := l.stages.handover()
	if l.vetter != nil {
		if handed, err = l.vetter.vet(ctx, c.name, c.file, c.beside); err != nil {
			return nil, err
		}
		defer handed.close()
	}
	if l.cache == nil {
		return func(error) {}, l.build(ctx, c, handed)
	}
	draft, kept, err := l.beginDraft()
	if err != nil {
		c.logger.Warn("cannot store the module's code in the compile cache", "err", err)
		return func(error) {}, l.build(ctx, c, handed)
	}
	defer kept.close()
	code := handed
	if code == nil {
		code = kept
	}
	if err := l.build(ctx, c, code); err != nil {
		draft.Drop()
		return nil, err
	}
	if handed != nil {
		kept.err = kept.copyOf(handed)
	}
	return func(failed error) {
		if failed != nil {
			draft.Drop()
			return
		}
		err := kept.err
		if err != nil {
			draft.Drop()
		} else {
			err = draft.Keep(key)
		}
		if err != nil {
			c.logger.Warn("cannot store the module's code in the compile cache", "err", err)
		}
	}, nil
}

// fromCache builds a module with code from the cache and reports whether there was any. If it
// returns an error, the entry was damaged and is deleted.
func (l *Loader) fromCache(ctx context.Context, key codecache.Key, c *candidate) (found bool, err error) {
	f, err := l.cache.Find(key)
	if err != nil || f == nil {
		return false, err
	}
	defer f.Close()
	err = l.build(ctx, c, &codeFile{file: f, seal: codecache.SealBytes})
	if err != nil && !errors.As(err, new(noRoom)) {
		l.cache.Remove(key) // the engine does not delete it, and would fail at it for ever (faults.md M19)
	}
	return true, err
}

// beginDraft makes a new entry of the cache, and the file for its code.
func (l *Loader) beginDraft() (*codecache.Draft, *codeFile, error) {
	draft, f, err := l.cache.Begin()
	if err != nil {
		return nil, nil, err
	}
	return draft, &codeFile{file: f, most: int64(l.limits.VetMemory), err: errors.New("there is too much of it, or the engine interprets modules on this processor")}, nil
}

// copyOf fills an empty file with the content of another.
func (c *codeFile) copyOf(other *codeFile) error {
	size, err := other.size()
	if err != nil {
		return err
	}
	_, err = io.Copy(c.file, io.NewSectionReader(other.file, 0, size))
	return err
}

// cacheKey covers everything besides the program that a module's code and its verdict depend on:
// the module, its sidecar, its name, which decides the test objects, the limits, and whether
// modules are vetted.
func (l *Loader) cacheKey(c *candidate) codecache.Key {
	if l.cache == nil {
		return codecache.Key{}
	}
	of := l.limits
	of.LoadedBytes = 0            // does not change the code
	limits, _ := json.Marshal(of) // numbers only; the sidecar, which may change them for the module, is part of its content sum
	vetted := []byte("vetted")
	if l.vetter == nil {
		vetted = nil
	}
	account := c.name.Owner
	if account == "" {
		account = c.name.Kind + "." + c.name.Group
	}
	return l.cache.Key(account, []byte(c.name.File), c.contentSum[:], limits, vetted)
}
