package module

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/runtime/meter"
	"github.com/crosswalk-gateway/crosswalk/runtime/wasi"
)

// ABI is the version of the interface between gateway and modules (docs/spec/abi.md). The gateway loads
// modules of this version only.
const ABI = 1

// The names of the ABI.
const (
	exportMemory     = "memory"
	exportABI        = "crosswalk_abi_v1" // with the version ABI
	exportAlloc      = "crosswalk_alloc"
	exportConvert    = "crosswalk_convert"
	exportDescribe   = "crosswalk_describe"
	exportInitialize = "_initialize"
	exportStart      = "_start"

	importHost = "crosswalk_v1"
	importLog  = "log"
)

// signatures are the types of the functions a reactor may export for the gateway.
var signatures = map[string]string{
	exportABI:        "() -> ()",
	exportAlloc:      "(i32) -> i32",
	exportConvert:    "(i32, i32) -> i64",
	exportDescribe:   "() -> i64",
	exportInitialize: "() -> ()",
	exportStart:      "() -> ()",
}

// CheckABI checks the exports and imports of a module, and reports whether it is a command rather
// than a reactor. It reads declarations only; no code of the module has run yet.
func CheckABI(m *meter.Module) (command bool, err error) {
	if command, err = isCommand(m); err != nil {
		return false, err
	}
	return command, checkImports(m, wasiTypes())
}

// isCommand reports whether a module is a command rather than a reactor. The error names missing or
// wrong exports.
func isCommand(m *meter.Module) (command bool, err error) {
	functions := map[string]string{}
	memory := false
	for _, e := range m.Exports {
		switch {
		case e.Kind == meter.KindMemory && e.Name == exportMemory:
			memory = true
		case e.Kind == meter.KindFunction:
			functions[e.Name] = e.Type.String()
		}
	}
	for name, got := range functions {
		if want, ok := signatures[name]; ok && got != want {
			return false, fmt.Errorf("export %s has type %s; the ABI says %s", name, got, want)
		}
	}
	if _, ok := functions[exportABI]; !ok {
		for name := range functions {
			if v, ok := strings.CutPrefix(name, "crosswalk_abi_v"); ok {
				return false, fmt.Errorf("the module speaks version %s of the ABI; this gateway speaks version 1: build it with a matching SDK", v)
			}
		}
		if _, ok := functions[exportStart]; ok {
			if !memory {
				return true, fmt.Errorf("the module exports %s but no memory named %q", exportStart, exportMemory)
			}
			return true, nil
		}
	}
	var missing []string
	for _, name := range []string{exportABI, exportAlloc, exportConvert} {
		if _, ok := functions[name]; !ok {
			missing = append(missing, name)
		}
	}
	if !memory {
		missing = append(missing, exportMemory+" (a memory)")
	}
	if len(missing) > 0 {
		return false, fmt.Errorf("the module does not export %s: it is neither a converter built with an SDK nor a WASI command (which exports %s)", strings.Join(missing, ", "), exportStart)
	}
	return false, nil
}

// checkImports rejects a module with imports other than those of the ABI: inert WASI functions and
// the log function.
func checkImports(m *meter.Module, signatures map[string]string) error {
	var bad []string
	for _, im := range m.Imports {
		switch {
		case im.Kind != meter.KindFunction:
			bad = append(bad, fmt.Sprintf("%v (a module may import functions only)", im))
		case im.Module == importHost && im.Name == importLog:
			if got, want := im.Type.String(), "(i32, i32, i32) -> ()"; got != want {
				bad = append(bad, fmt.Sprintf("%v with type %s (the ABI says %s)", im, got, want))
			}
		case im.Module == wasi.ModuleName && signatures[im.Name] != "":
			if got, want := im.Type.String(), signatures[im.Name]; got != want {
				bad = append(bad, fmt.Sprintf("%v with type %s (WASI says %s)", im, got, want))
			}
		default:
			bad = append(bad, im.String())
		}
	}
	if len(bad) > 0 {
		sort.Strings(bad)
		const most = 8
		more := ""
		if len(bad) > most {
			more, bad = fmt.Sprintf(" and %d more", len(bad)-most), bad[:most]
		}
		return fmt.Errorf("the module imports what the gateway does not offer: %s%s; allowed are the functions of %s and %s.%s",
			strings.Join(bad, ", "), more, wasi.ModuleName, importHost, importLog)
	}
	return nil
}

// wasiTypes returns the type of every WASI function, in the meter's notation.
var wasiTypes = sync.OnceValue(func() map[string]string {
	types := map[string]string{}
	for _, f := range wasi.Functions() {
		types[f.Name] = meter.FuncType{Params: valueTypes(f.Params), Results: valueTypes(f.Results)}.String()
	}
	return types
})

func valueTypes(in []api.ValueType) []meter.ValueType {
	out := make([]meter.ValueType, len(in))
	for i, t := range in {
		out[i] = meter.ValueType(t)
	}
	return out
}
