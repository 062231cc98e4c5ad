package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The good modules, by their role.
const (
	swapped = "CronTab.stable.example.com_v1_v2.wasm"       // another language every two seconds; some declare fields
	rolled  = "Widget.example.com_v1_v2.wasm"               // replaced by one that fails, and taken back
	packed  = "Database.db.example.com_v1beta1_v1.wasm.zst" // packed with zstd, now and then anew
	chained = "Widget.chain.example.com_v1*.wasm"           // two, which form a route and are left alone
	heart   = "Heart"                                       // kind of each honest owner's heartbeats, left alone
)

// The owners. The good owner changes its modules all the time, the steady one does nothing. The busy
// owner has a slow module and clients that take all they can get; it and the hostile owner do
// everything that a tenant can do with files.
const (
	good    = "good"
	steady  = "steady"
	busy    = "busy"
	hostile = "hostile"
)

var (
	honest    = []string{good, steady}
	attackers = []string{busy, hostile}
)

// served is the name of the good owner's file in metrics.
func served(file string) string { return good + "/" + file }

// directories are the served modules, and their changes.
type directories struct {
	modules   string   // a directory for each owner
	languages []string // files that convert CronTabs
	databases []string
	hostile   []string // kinds
	swaps     atomic.Int64
	attacks   attacks
}

func newDirectories(modules string, a attacks) (*directories, error) {
	d := &directories{modules: modules, attacks: a}
	for _, dir := range []string{modules, d.of(good), d.of(steady), d.of(busy), d.of(hostile)} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	d.languages, _ = filepath.Glob("bin/plugins/*/" + swapped)
	d.databases, _ = filepath.Glob("bin/plugins/*/" + strings.TrimSuffix(packed, ".zst"))
	chain, _ := filepath.Glob("bin/plugins/*/" + chained)
	if len(d.languages) == 0 || len(d.databases) == 0 || len(chain) < 2 {
		return nil, errors.New("not all converters are in bin/plugins: run make plugins")
	}
	for _, file := range chain {
		if err := place(file, filepath.Join(d.of(steady), filepath.Base(file)), -1); err != nil {
			return nil, err
		}
	}
	for _, owner := range honest {
		if err := place("cmd/gateway/testdata/one.wasm", filepath.Join(d.of(owner), heart+"."+owner+".example.com_v1_v2.wasm"), -1); err != nil {
			return nil, err
		}
	}
	return d, errors.Join(d.swap(0), d.roll(0), d.pack(0))
}

// of returns the directory of an owner.
func (d *directories) of(owner string) string { return filepath.Join(d.modules, owner) }

// flags are the flags of the gateway for the directories.
func (d *directories) flags() (flags []string) {
	for _, owner := range append(honest, attackers...) {
		flags = append(flags, "--modules", owner+"="+d.of(owner))
	}
	return flags
}

// placeHostile has every fixture that can be loaded serve a kind of its own.
func (d *directories) placeHostile() error {
	for _, shape := range []string{"[xam]*", "command_*"} {
		fixtures, err := filepath.Glob("runtime/testdata/" + shape + ".wasm")
		if err != nil || len(fixtures) == 0 {
			return errors.New("no hostile modules in runtime/testdata: run it from the top of the repository")
		}
		for _, f := range fixtures {
			kind := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(f), ".wasm"), "_", "-")
			if err := place(f, filepath.Join(d.of(hostile), kind+".hostile.example.com_v1_v2.wasm"), -1); err != nil {
				return err
			}
			d.hostile = append(d.hostile, kind)
		}
	}
	return nil
}

// swap serves CronTabs in the next language.
func (d *directories) swap(n int) error {
	return place(d.languages[n%len(d.languages)], filepath.Join(d.of(good), swapped), n)
}

// roll alternates between a module that answers and those that fail, each in its own way.
func (d *directories) roll(n int) error {
	from := "cmd/gateway/testdata/one.wasm"
	if n%2 == 1 {
		failing := []string{"x09_unreachable", "x01_spin", "a06_status", "x05_recursion", "x10_exit"}
		from = "runtime/testdata/" + failing[n/2%len(failing)] + ".wasm"
	}
	return place(from, filepath.Join(d.of(good), rolled), n)
}

// pack packs a converter anew.
func (d *directories) pack(n int) error {
	content, err := variant(d.databases[n%len(d.databases)], n)
	if err != nil {
		return err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer w.Close()
	return write(filepath.Join(d.of(good), packed), w.EncodeAll(content, nil))
}

// change is one thing that is done again and again.
type change struct {
	every time.Duration
	do    func(n int) error
}

// keepChanging replaces good modules until ctx ends, and keepAttacking hostile files.
func (d *directories) keepChanging(ctx context.Context) (wait func() error) {
	return d.keepDoing(ctx, change{2 * time.Second, d.swap}, change{9 * time.Second, d.roll}, change{19 * time.Second, d.pack})
}

func (d *directories) keepAttacking(ctx context.Context) (wait func() error) {
	return d.keepDoing(ctx, d.hostileChanges()...)
}

// hostileChanges are the changes of the attacks that are on.
func (d *directories) hostileChanges() (on []change) {
	for _, one := range []struct {
		attack string
		change
	}{
		{slowFiles, change{7 * time.Second, d.slowFiles}},
		{definitions, change{7 * time.Second, d.files}},
		{definitions, change{17 * time.Second, d.definitions}},
		{names, change{17 * time.Second, d.names}},
		{sidecars, change{17 * time.Second, d.sidecars}},
		{contents, change{2 * time.Second, d.large}},
	} {
		if d.attacks.of(one.attack).on {
			on = append(on, one.change)
		}
	}
	return on
}

// keepDoing makes changes until ctx ends. The function that it returns waits for that, and says
// what went wrong.
func (d *directories) keepDoing(ctx context.Context, changes ...change) (wait func() error) {
	var wg sync.WaitGroup
	failed := make([]error, len(changes))
	for i, c := range changes {
		wg.Go(func() { // ends with ctx
			for n := 1; failed[i] == nil; n++ {
				select {
				case <-time.After(c.every):
					failed[i] = c.do(n)
					d.swaps.Add(1)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return func() error {
		wg.Wait()
		return errors.Join(failed...)
	}
}

// variant reads a module and puts a custom section at its end, which changes its digest and nothing
// else; none if n < 0.
func variant(from string, n int) ([]byte, error) {
	content, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("a module to serve: %w", err)
	}
	if n >= 0 {
		content = append(content, 0, 9, 4, 's', 'o', 'a', 'k')
		content = binary.LittleEndian.AppendUint32(content, uint32(n))
	}
	return content, nil
}

func place(from, to string, n int) error {
	content, err := variant(from, n)
	if err != nil {
		return err
	}
	return write(to, content)
}

// write writes a file by way of a name that is not looked at, so that it appears whole.
func write(to string, content []byte) error {
	tmp := filepath.Join(filepath.Dir(to), "."+filepath.Base(to))
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, to)
}
