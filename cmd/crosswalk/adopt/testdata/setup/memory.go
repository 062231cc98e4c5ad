// Package main sets state by way of memory that other code leads to.
package main

import v1 "example.com/memory/v1"

func SetUp() {
	v1.TheConfig().Prefix = "x"
	v1.Settings().Configure("x")
	v1.TheSetter().Use("x")
	v1.NewReconciler().Run()
	v1.Rules()[0].Prefix = "x"
	put(v1.Others)
	names := v1.Names
	names["a"] = "x"
	v1.Close("x")
	v1.Load()
	_ = v1.Lists()
	v1.New().Config.Prefix = "x"
	v1.NewInliner().Prefix = "x"
	v1.NewClient().Options.Labels["a"] = "x"
	_ = v1.Configure("x")
	v1.SetAccessed("x")
	v1.Direct.Use("x")
}

func put(m map[string]string) { m["a"] = "x" }
