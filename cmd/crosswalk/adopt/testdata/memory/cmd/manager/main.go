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
}

func show(kind string, spoke interface{ ConvertTo(conversion.Hub) error }, hub conversion.Hub) {
	for range len(os.Args) { // once, and twice with an argument
		if err := spoke.ConvertTo(hub); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s %+v\n", kind, hub)
}
