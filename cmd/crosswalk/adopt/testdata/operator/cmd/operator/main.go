// Command operator sets what conversions depend on.
package main

import (
	"flag"

	statev1 "example.com/operator/state/v1"
)

func main() {
	flag.BoolVar(&statev1.Strict, "strict", false, "")
	flag.Parse()
	statev1.Prefix = "main"
	statev1.Options.Mode.Name = "main"
	statev1.SetGetter(func() string { return "main" })
	statev1.Names.Add("a")
	statev1.Extend("b")
	println(statev1.Separator)
}
