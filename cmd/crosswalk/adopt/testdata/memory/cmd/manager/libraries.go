package main

import (
	"flag"

	"github.com/spf13/pflag"
	"gopkg.in/inf.v0"
	"k8s.io/component-base/featuregate"

	"example.com/hooks"
	v1 "example.com/memory/v1"
)

func surrender(prefix string) // of v1, which names it for the linker

// libraries changes variables of closures, and memory that libraries keep.
func libraries() {
	v1.SetAccessed("x")
	v1.UseParametric("x")
	v1.Mutate(func(m map[string]string) { m["a"] = "x" })
	for m := range v1.AllIterated() {
		m["a"] = "x"
	}
	v1.Direct.Use("x")
	v1.Panel.Use("x")
	if err := flag.Set("memory-option", "x"); err != nil {
		panic(err)
	}
	if err := flag.CommandLine.Parse([]string{"-memory-parsed", "x"}); err != nil {
		panic(err)
	}
	hooks.SetAll("x")
	inf.Parse("x")
	set := &hooks.Set{}
	v1.BindGate(set)
	set.Execute("x")
	surrender("x")
	pflag.Parse("x")
	featuregate.EnableAll()
	v1.Scheme.Enlist(func(a string) string { return a + "x" })
}
