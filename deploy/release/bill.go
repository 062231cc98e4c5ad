package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	PURL     string    `json:"purl"`
	Licenses []license `json:"licenses,omitempty"`
}

type (
	license struct {
		License identifier `json:"license"`
	}
	identifier struct {
		ID string `json:"id"`
	}
)

// isOwn reports whether a Go module is one of this repository's.
func isOwn(path string) bool {
	const own = "github.com/crosswalk-gateway/crosswalk"
	return path == own || strings.HasPrefix(path, own+"/")
}

// goPackage is the package URL of a Go module: in lower case, and with an encoded plus sign, as in
// +incompatible.
func goPackage(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + url.QueryEscape(version)
}

// billOfMaterials writes <file>.cdx.json, the modules of a binary in the format CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json), without a serial number or time, which would differ from
// run to run. The modules come from the binary itself; parts are in it, too.
func billOfMaterials(file, version string, parts []part) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	// Databases of vulnerabilities call the standard library stdlib, without go in its version.
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	components := []component{{Type: "library", Name: "stdlib", Version: goVersion, PURL: "pkg:golang/stdlib@" + goVersion}}
	for _, m := range info.Deps {
		if isOwn(m.Path) {
			continue // one repository, and one version: the component of the bill
		}
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, component{Type: "library", Name: m.Path, Version: m.Version, PURL: goPackage(m.Path, m.Version)})
	}
	for _, p := range parts {
		components = append(components, component{"library", p.name, p.version, p.purl, []license{{identifier{p.license}}}})
	}
	bill := map[string]any{
		"bomFormat":   "CycloneDX",
		"specVersion": "1.6",
		"version":     1,
		"metadata":    map[string]any{"component": component{"application", filepath.Base(file), version, goPackage(info.Main.Path, version), []license{{identifier{"Apache-2.0"}}}}},
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
