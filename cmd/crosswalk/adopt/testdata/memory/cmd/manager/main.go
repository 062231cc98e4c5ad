// Command manager prints a conversion of each kind: as it is without main, and, with an argument, after
// main has set what it can, and another conversion.
package main

import (
	"fmt"
	"os"
	_ "unsafe"

	"example.com/memory/conversion"
	"example.com/memory/fill"
	v1 "example.com/memory/v1"
	v2 "example.com/memory/v2"
)

//go:linkname setLinked example.com/memory/v1.setLinked
func setLinked(p string)

//go:linkname pushed example.com/memory/v1.pushed
var pushed string

func put(m map[string]string) { m["a"] = "x" }

func set() {
	get := v1.TheValue
	get().Prefix = "x"
	v1.TheConfig().Prefix = "x"
	v1.Settings().Configure("x")
	v1.Naming.Configure("x")
	alias := v1.Aliased
	alias.Prefix = "x"
	_ = v1.ReadOnly().Name()
	outer := v1.Outer
	outer.Prefix = "x"
	v1.Inner.Configure("x")
	v1.Options().Prefix = "x"
	v1.NewReconciler().Run()
	v1.TheNamer.(*v1.Plain).Prefix = "x"
	v1.TheSetter().Use("x")
	v1.Close("x")
	v1.Init("x")
	v1.Load()
	set := &fill.Set{}
	v1.AddFlags(set)
	set.Parse()
	v1.Table.Use("a", "x")
	v1.Enroll(v1.Enrollments(), "a", "x")
	names := v1.Names
	names["a"] = "x"
	put(v1.Others)
	_ = v1.Lists()
	v1.Rules()[0].Prefix = "x"
	text := "x"
	v1.Current().Store(&text)
	v1.Queue() <- "x"
	setLinked("x")
	idioms()
	outs()
	handed()
	libraries()
	pushed = "x"
}

func main() {
	if len(os.Args) > 1 {
		set()
	}
	show("Getter", &v1.Getter{}, &v2.Getter{})
	show("Method", &v1.Method{}, &v2.Method{})
	show("Exported", &v1.Exported{}, &v2.Exported{})
	show("Alias", &v1.Alias{}, &v2.Alias{})
	show("Read", &v1.Read{}, &v2.Read{})
	show("Embedded", &v1.Embedded{}, &v2.Embedded{})
	show("Promoted", &v1.Promoted{}, &v2.Promoted{})
	show("Kept", &v1.Kept{}, &v2.Kept{})
	show("Shared", &v1.Shared{}, &v2.Shared{})
	show("Held", &v1.Held{}, &v2.Held{})
	show("Interface", &v1.Interface{}, &v2.Interface{})
	show("Closure", &v1.Closure{}, &v2.Closure{})
	show("Once", &v1.Once{}, &v2.Once{})
	show("Hook", &v1.Hook{}, &v2.Hook{})
	show("Reflect", &v1.Reflect{}, &v2.Reflect{})
	show("Flag", &v1.Flag{}, &v2.Flag{})
	show("Generic", &v1.Generic{}, &v2.Generic{})
	show("Enrolled", &v1.Enrolled{}, &v2.Enrolled{})
	show("Map", &v1.Map{}, &v2.Map{})
	show("Filled", &v1.Filled{}, &v2.Filled{})
	show("Listed", &v1.Listed{}, &v2.Listed{})
	show("Slice", &v1.Slice{}, &v2.Slice{})
	show("Atomic", &v1.Atomic{}, &v2.Atomic{})
	show("Channel", &v1.Channel{}, &v2.Channel{})
	show("Linked", &v1.Linked{}, &v2.Linked{})
	show("Pushed", &v1.Pushed{}, &v2.Pushed{})
	show("Stamped", &v1.Stamped{}, &v2.Stamped{})
	show("Remembered", &v1.Remembered{}, &v2.Remembered{})
	show("Lazy", &v1.Lazy{}, &v2.Lazy{})
	show("Valued", &v1.Valued{}, &v2.Valued{})
	show("Tagged", &v1.Tagged{}, &v2.Tagged{})
	show("Field", &v1.Field{}, &v2.Field{})
	show("Nested", &v1.Nested{}, &v2.Nested{})
	show("Tuned", &v1.Tuned{}, &v2.Tuned{})
	show("Copied", &v1.Copied{}, &v2.Copied{})
	show("Inlined", &v1.Inlined{}, &v2.Inlined{})
	show("Renamed", &v1.Renamed{}, &v2.Renamed{})
	show("Shown", &v1.Shown{}, &v2.Shown{})
	show("Replaced", &v1.Replaced{}, &v2.Replaced{})
	show("Stored", &v1.Stored{}, &v2.Stored{})
	show("Bound", &v1.Bound{}, &v2.Bound{})
	show("Wrapped", &v1.Wrapped{}, &v2.Wrapped{})
	show("Constrained", &v1.Constrained{}, &v2.Constrained{})
	show("Switched", &v1.Switched{}, &v2.Switched{})
	show("Ranged", &v1.Ranged{}, &v2.Ranged{})
	show("Helped", &v1.Helped{}, &v2.Helped{})
	show("Pooled", &v1.Pooled{}, &v2.Pooled{})
	show("Sourced", &v1.Sourced{}, &v2.Sourced{})
	show("Scanned", &v1.Scanned{}, &v2.Scanned{})
	show("Reversed", &v1.Reversed{}, &v2.Reversed{})
	show("Rendered", &v1.Rendered{}, &v2.Rendered{})
	show("Unsafe", &v1.Unsafe{}, &v2.Unsafe{})
	show("Bind", &v1.Bind{}, &v2.Bind{})
	show("Deleted", &v1.Deleted{}, &v2.Deleted{})
	show("Looked", &v1.Looked{}, &v2.Looked{})
	show("Visited", &v1.Visited{}, &v2.Visited{})
	show("Started", &v1.Started{}, &v2.Started{})
	show("Begun", &v1.Begun{}, &v2.Begun{})
	show("Ran", &v1.Ran{}, &v2.Ran{})
	show("Rounded", &v1.Rounded{}, &v2.Rounded{})
	show("Registered", &v1.Registered{}, &v2.Registered{})
	show("Early", &v1.Early{}, &v2.Early{})
	show("Watched", &v1.Watched{}, &v2.Watched{})
	show("DeepCopied", &v1.DeepCopied{}, &v2.DeepCopied{})
	show("Dereferenced", &v1.Dereferenced{}, &v2.Dereferenced{})
	show("With", &v1.With{}, &v2.With{})
	show("Looped", &v1.Looped{}, &v2.Looped{})
	show("Picked", &v1.Picked{}, &v2.Picked{})
	show("Given", &v1.Given{}, &v2.Given{})
	show("Collected", &v1.Collected{}, &v2.Collected{})
	show("Asserted", &v1.Asserted{}, &v2.Asserted{})
	show("Merged", &v1.Merged{}, &v2.Merged{})
	show("Handed", &v1.Handed{}, &v2.Handed{})
	show("Passed", &v1.Passed{}, &v2.Passed{})
	show("Composed", &v1.Composed{}, &v2.Composed{})
	show("Owned", &v1.Owned{}, &v2.Owned{})
	show("Peeked", &v1.Peeked{}, &v2.Peeked{})
	show("Replenished", &v1.Replenished{}, &v2.Replenished{})
	show("Lent", &v1.Lent{}, &v2.Lent{})
	show("Adjusted", &v1.Adjusted{}, &v2.Adjusted{})
	show("Relabelled", &v1.Relabelled{}, &v2.Relabelled{})
	show("Called", &v1.Called{}, &v2.Called{})
	show("Matched", &v1.Matched{}, &v2.Matched{})
	show("Fielded", &v1.Fielded{}, &v2.Fielded{})
	show("Housed", &v1.Housed{}, &v2.Housed{})
	show("Sibling", &v1.Sibling{}, &v2.Sibling{})
	show("Opened", &v1.Opened{}, &v2.Opened{})
	show("Lifted", &v1.Lifted{}, &v2.Lifted{})
	show("Deep", &v1.Deep{}, &v2.Deep{})
	show("Shelved", &v1.Shelved{}, &v2.Shelved{})
	show("Captured", &v1.Captured{}, &v2.Captured{})
	show("Emptied", &v1.Emptied{}, &v2.Emptied{})
	show("Chosen", &v1.Chosen{}, &v2.Chosen{})
	show("Aimed", &v1.Aimed{}, &v2.Aimed{})
	show("Whole", &v1.Whole{}, &v2.Whole{})
	show("Decoded", &v1.Decoded{}, &v2.Decoded{})
	show("Spread", &v1.Spread{}, &v2.Spread{})
	show("Literal", &v1.Literal{}, &v2.Literal{})
	show("Answered", &v1.Answered{}, &v2.Answered{})
	show("Untyped", &v1.Untyped{}, &v2.Untyped{})
	show("Indexed", &v1.Indexed{}, &v2.Indexed{})
	show("Installed", &v1.Installed{}, &v2.Installed{})
	show("Applied", &v1.Applied{}, &v2.Applied{})
	show("Provided", &v1.Provided{}, &v2.Provided{})
	show("Bagged", &v1.Bagged{}, &v2.Bagged{})
	show("Paired", &v1.Paired{}, &v2.Paired{})
	show("Described", &v1.Described{}, &v2.Described{})
	show("Accessed", &v1.Accessed{}, &v2.Accessed{})
	show("Memorized", &v1.Memorized{}, &v2.Memorized{})
	show("Enclosed", &v1.Enclosed{}, &v2.Enclosed{})
	show("Parametric", &v1.Parametric{}, &v2.Parametric{})
	show("Mutated", &v1.Mutated{}, &v2.Mutated{})
	show("Iterated", &v1.Iterated{}, &v2.Iterated{})
	show("Directed", &v1.Directed{}, &v2.Directed{})
	show("Panelled", &v1.Panelled{}, &v2.Panelled{})
	show("Optional", &v1.Optional{}, &v2.Optional{})
	show("Parsed", &v1.Parsed{}, &v2.Parsed{})
	show("Allotted", &v1.Allotted{}, &v2.Allotted{})
	show("Gated", &v1.Gated{}, &v2.Gated{})
	show("Surrendered", &v1.Surrendered{}, &v2.Surrendered{})
	show("Initialled", &v1.Initialled{}, &v2.Initialled{})
	show("Pflagged", &v1.Pflagged{}, &v2.Pflagged{})
	show("Concrete", &v1.Concrete{}, &v2.Concrete{})
	show("Abstract", &v1.Abstract{}, &v2.Abstract{})
	show("Schemed", &v1.Schemed{}, &v2.Schemed{})
}

func show(kind string, spoke interface{ ConvertTo(conversion.Hub) error }, hub conversion.Hub) {
	for range len(os.Args) { // once, and twice with an argument
		if err := spoke.ConvertTo(hub); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s %+v\n", kind, hub)
}
