package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"text/template"
	"unsafe"

	"example.com/extension/names"
	"example.com/hooks"
	v1 "example.com/memory/v1"
)

type wrapper struct{ v1.Setter }

type local struct{ Shown *v1.Plain }

func apply[T interface{ Use(string) }](t T) { t.Use("x") }

type visitor struct{}

func (visitor) Visit(p *v1.Plain) { p.Prefix = "x" }

func tune(t *v1.Tuner) { t.Target.Prefix = "x" }

func help(p *v1.Plain) { p.Prefix = "x" }

func describe(p *v1.Plain) string { return "<" + p.Prefix + p.Name() + ">" }

// idioms changes memory.
func idioms() {
	v1.New().Config.Prefix = "x"
	client := v1.NewClient()
	client.Options.Labels["a"] = "x"
	tune(v1.NewTuner())
	v1.NewInliner().Prefix = "x"
	renamer := v1.NewRenamer()
	renamer.Rename("x")
	v1.Accept(visitor{})
	snapshot := v1.TheSnapshot()
	snapshot.Inner.Prefix = "x"
	v1.Entries.Store("a", "x")
	use := v1.TheBound().Configure
	use("x")
	wrapper{v1.WrappedSetter()}.Use("x")
	apply(v1.TheConstrained())
	if err := v1.Configure("x"); err != nil {
		panic(err)
	}
	slices.Reverse(v1.Order())
	template.Must(v1.Template.Parse("x"))
	*(*string)(unsafe.Pointer(v1.Raw())) = "x"
	if err := v1.Flags().Parse([]string{"-prefix", "x"}); err != nil {
		panic(err)
	}
	switch n := v1.Switch.(type) {
	case *v1.Plain:
		n.Prefix = "x"
	}
	for _, p := range v1.TheRanged() {
		p.Prefix = "x"
	}
	help(v1.TheHelped())
	v1.Query.Del("a")
	v1.Pool.New = func() any { return "x" }
	v1.SetSource("x")
	flag.String("memory-prefix", "x", "")
	hooks.Start()
	v1.Updates <- "x"
	v1.Updates <- "x" // the first has been taken
	reads()
}

// reads changes copies.
func reads() {
	p := v1.Original().DeepCopy()
	p.Prefix = "x"
	q := *v1.TheDereferenced()
	q.Prefix = "x"
	_ = v1.Defaults().With("x")
	for _, p := range v1.TheLooped() {
		fmt.Fprintln(io.Discard, p.Name())
	}
	fmt.Fprintln(io.Discard, describe(v1.TheDescribed()), v1.NewReader().Shown.Prefix)
	l := local{Shown: &v1.Plain{}}
	l.Shown.Prefix = "x"
	fmt.Fprintln(io.Discard, &names.Current{Prefix: "x"})
	r := v1.NewReplacer()
	r.Current = &v1.Plain{Prefix: "x"}
}
