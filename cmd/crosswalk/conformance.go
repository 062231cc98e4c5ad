package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/conformance"
)

func conformanceCommand() command {
	return command{
		name: "conformance", args: "MODULE...", short: "test the duties of every converter",
		long: `Tests every conversion of a module: frames, an empty batch, ten thousand objects in one call, refusals, text, numbers, fragments as
server-side apply sends them, large and deep objects, reuse. The tests derive their objects from objects that the module converts: those
of the sidecar's golden cases, and those in FILEs (one object, a list, or an array).

A note reports behaviour that is allowed but that the author should know. The command exits with 1 if a check fails.
`,
		example: "crosswalk conformance --objects crontabs.json CronTab.stable.example.com_v1_v2.wasm",
		setUp: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
			var how loading
			files := flags.StringArray("objects", nil, "`FILE` with objects that the module converts; repeatable")
			asJSON := flags.Bool("json", false, "print the results as JSON, one per line")
			how.flags(flags)
			return func(ctx context.Context, s streams, paths []string) error {
				if len(paths) == 0 {
					return usagef("name at least one module")
				}
				config, err := how.config(s)
				if err != nil {
					return err
				}
				config.Limits = conformance.Limits(config.Limits)
				var objects []json.RawMessage
				for _, file := range *files {
					text, err := os.ReadFile(file)
					if err != nil {
						return err
					}
					more, err := objectsOf(file, text)
					if err != nil {
						return err
					}
					objects = append(objects, more...)
				}
				count := map[conformance.Verdict]int{}
				for _, path := range paths {
					m, err := openModule(ctx, path, config)
					if err != nil {
						return err
					}
					conformance.Run(ctx, m, objects, func(r conformance.Result) {
						count[r.Verdict]++
						writeResult(s, m.Name(), r, *asJSON)
					})
					m.Close()
				}
				if !*asJSON {
					fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped, %d notes\n",
						count[conformance.Pass], count[conformance.Fail], count[conformance.Skip], count[conformance.Note])
				}
				if count[conformance.Fail] > 0 {
					return errFailed
				}
				return nil
			}
		},
	}
}

func writeResult(s streams, module string, r conformance.Result, asJSON bool) {
	if asJSON {
		line, _ := json.Marshal(struct { // of strings only
			Module string `json:"module"`
			conformance.Result
		}{module, r})
		fmt.Fprintf(s.out, "%s\n", line)
		return
	}
	fmt.Fprintf(s.out, "%-4s  %s  %s\n", r.Verdict, r.Edge, r.Check)
	if r.Why != "" {
		fmt.Fprintf(s.out, "      %s\n", r.Why)
	}
}
