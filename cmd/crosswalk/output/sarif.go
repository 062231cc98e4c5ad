package output

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
		Help  sarifText `json:"help"`
	}
	sarifRegion struct {
		Line int `json:"startLine"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Level     Level           `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		// Prints has the fingerprint by which GitHub tells alerts apart. It would make one of the line,
		// which findings about one module share.
		Prints map[string]string `json:"partialFingerprints"`
	}
)

// writeSARIF writes a log of SARIF 2.1.0 with one run.
func writeSARIF(out io.Writer, list []Annotation, rules map[string]string) error {
	results, used := []sarifResult{}, map[string]bool{}
	for _, a := range list {
		used[a.Rule] = true
		text := a.Title
		if a.Message != "" && a.Message != a.Title {
			text += "\n" + a.Message
		}
		r := sarifResult{Rule: a.Rule, Level: a.Level, Message: sarifText{text}, Prints: map[string]string{"primaryLocationLineHash": fingerprint(a)}}
		if a.File != "" || a.Place != "" {
			var at sarifLocation
			if a.File != "" {
				at.Physical = &sarifPhysical{Region: &sarifRegion{max(a.Line, 1)}}
				at.Physical.Artifact.URI = fileURI(a.File)
			}
			if a.Place != "" {
				at.Logical = []sarifLogical{{a.Place}}
			}
			r.Locations = []sarifLocation{at}
		}
		results = append(results, r)
	}
	described := []sarifRule{}
	for _, id := range slices.Sorted(maps.Keys(used)) {
		text := rules[id]
		if text == "" {
			text = id
		}
		described = append(described, sarifRule{id, sarifText{text}, sarifText{text}, sarifText{help}})
	}
	type driver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	type tool struct {
		Driver driver `json:"driver"`
	}
	type run struct {
		Tool    tool          `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	text, err := json.Marshal(struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []run{{tool{driver{"crosswalk", described}}, results}}})
	if err != nil {
		return err
	}
	if text, err = indent(text); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

// help is the help of each rule: the page is named in the help of the command.
const help = "crosswalk COMMAND --help explains the command that reports this."

// fingerprint identifies an annotation. Two with one fingerprint are one alert.
func fingerprint(a Annotation) string {
	key := a.Key
	if key == "" {
		key = a.Title
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{a.Rule, a.File, a.Place, key}, "\x00")))
	return hex.EncodeToString(sum[:16]) + ":1"
}

// fileURI returns the relative or absolute reference of a file.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}
