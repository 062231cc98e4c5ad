package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func checkCommand() command {
	return command{
		name: "check", args: "MODULE...", short: "check whether a gateway would serve modules",
		long: `Runs all checks that a gateway makes before it serves a module: name, pin, scan, imports and exports, compilation in a child process under
limits, a first call, the golden cases of the sidecar, and the comparison of compiled and interpreted code. It exits with 1 if a gateway
would not serve one of the modules. It also looks up declared fields in the schemas of the CustomResourceDefinition, which it takes from
--crd or from the module's directory (<plural>.<group>.crd.yaml).
`,
		example: "crosswalk check --crd crd.yaml CronTab.stable.example.com_v1_v2.wasm",
		setUp: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
			var how loading
			how.flags(flags)
			crd := flags.String("crd", "", "`FILE` with the CustomResourceDefinition in which to look up declared fields (default: the one beside each module)")
			return func(ctx context.Context, s streams, paths []string) error {
				if len(paths) == 0 {
					return usagef("name at least one module")
				}
				config, err := how.config(s)
				if err != nil {
					return err
				}
				config.Vet = true
				failed := false
				for _, path := range paths {
					start := time.Now()
					m, err := openModule(ctx, path, config)
					if err != nil {
						failed = true
						fmt.Fprintf(s.out, "REFUSED  %v\n", err)
						continue
					}
					fmt.Fprintf(s.out, "serves   %s: %s; %s; loaded in %v\n", m.Name(), strings.Join(edgeNames(m), ", "), caseCount(m), time.Since(start).Round(time.Millisecond))
					lines, err := doubtful(m, path, *crd)
					m.Close()
					if err != nil {
						return err
					}
					for _, line := range lines {
						fmt.Fprintf(s.out, "DOUBTFUL %s: %s\n", m.Name(), line)
					}
				}
				if failed {
					return errFailed
				}
				return nil
			}
		},
	}
}

func edgeNames(m *module.Module) []string {
	var names []string
	for _, e := range m.Edges() {
		names = append(names, e.From+"→"+e.To)
	}
	return names
}

func caseCount(m *module.Module) string {
	switch n := len(m.Cases()); n {
	case 0:
		return "no golden cases beside it"
	case 1:
		return "1 golden case passed"
	default:
		return fmt.Sprintf("%d golden cases passed", n)
	}
}
