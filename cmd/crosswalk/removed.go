package main

// removedCommands returns the new form of each command that another one replaced. A release later,
// the names are unknown ones.
func removedCommands() map[string]string {
	return map[string]string{
		"bundle":      "compile INTERPRETER.wasm SCRIPT…",
		"conformance": "test",
		"crd-patch":   "attach --print",
		"graph":       "inspect --routes",
	}
}
