package main

import (
	"encoding/json"
	"fmt"
	"io"

	v1 "example.com/memory/v1"
)

type owner struct{ *v1.Plain }

func label(p **v1.Plain) string { return (*p).Prefix }

func relabel(p **v1.Plain) { (*p).Prefix = "x" }

// outs changes memory that callees store in variables of main.
func outs() {
	var given *v1.Plain
	v1.Give(&given)
	given.Prefix = "x"
	collected := map[string]*v1.Plain{}
	v1.Collect(collected)
	collected["a"].Prefix = "x"
	var asserted *v1.Plain
	v1.Into(&asserted)
	asserted.Prefix = "x"
	merged := v1.Plains{}
	merged.Merge()
	for _, p := range merged {
		p.Prefix = "x"
	}
	v1.Hand("x")
	v1.SetFielded("x")
	v1.EnterHouse()
	v1.SetHoused("x")
	passed := new(*v1.Plain)
	v1.Pass(passed)
	help(*passed)
	var composed v1.Composition
	v1.Compose(&composed)
	composed.Prefix = "x"
	var o owner
	v1.Own(&o.Plain)
	o.Prefix = "x"
	v1.Lend("x")
	var adjusted *v1.Plain
	v1.Supply(&adjusted)
	v1.Adjust(&adjusted, "x")
	var relabelled *v1.Plain
	v1.Label(&relabelled)
	relabel(&relabelled)
	var called *v1.Plain
	v1.Call(&called)
	called.Prefix = "x"
	var matched *v1.Plain
	v1.Match(&matched)
	matched.Prefix = "x"

	// These only read, or change other memory.
	v1.SetSibling("x")
	var peeked *v1.Plain
	v1.Peek(&peeked)
	v1.Peek(&peeked)
	_ = json.NewEncoder(io.Discard).Encode(&peeked)
	fmt.Fprintln(io.Discard, peeked.Prefix, label(&peeked), peeked.Name())
	peeked = nil
	var replenished v1.Plain
	v1.Replenish(&replenished)
	replenished.Prefix = "x"
}
