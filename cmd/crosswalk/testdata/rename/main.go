// Command rename is an interpreter for a test: its script names a file, which has the old and the new name of a
// member of spec.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := convert(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func convert() error {
	script, err := os.ReadFile(os.Args[len(os.Args)-1])
	if err != nil {
		return err
	}
	names, err := os.ReadFile(string(script))
	if err != nil {
		return err
	}
	from, to, _ := strings.Cut(string(names), " ")
	var review map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&review); err != nil {
		return err
	}
	request := review["request"].(map[string]any)
	for _, o := range request["objects"].([]any) {
		o := o.(map[string]any)
		o["apiVersion"] = request["desiredAPIVersion"]
		if spec, ok := o["spec"].(map[string]any); ok {
			if !strings.HasSuffix(o["apiVersion"].(string), "v2") {
				from, to = to, from
			}
			spec[to] = spec[from]
			delete(spec, from)
		}
	}
	review["response"] = map[string]any{"uid": request["uid"], "convertedObjects": request["objects"], "result": map[string]any{"status": "Success"}}
	delete(review, "request")
	return json.NewEncoder(os.Stdout).Encode(review)
}
