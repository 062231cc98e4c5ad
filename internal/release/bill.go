package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
)

// billOfMaterials writes <file>.cdx.json, the modules of a binary in the format CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json), without a serial number or time, which would differ from
// run to run. The modules come from the binary itself.
func billOfMaterials(file, version string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
	}
	components := []component{{"library", "std", info.GoVersion, "pkg:golang/std@" + info.GoVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	bill := map[string]any{
		"bomFormat":   "CycloneDX",
		"specVersion": "1.6",
		"version":     1,
		"metadata":    map[string]any{"component": component{"application", filepath.Base(file), version, "pkg:golang/" + info.Main.Path + "@" + version}},
		"components":  components,
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(bill); err != nil {
		return err
	}
	return os.WriteFile(file+".cdx.json", text.Bytes(), 0o644)
}
