package output

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/repository"
)

// Level is the severity of an annotation, in the words of SARIF.
type Level string

// The levels.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNote    Level = "note"
)

// Annotation is a finding at a place in a file, for programs that show findings beside code.
type Annotation struct {
	Rule    string // such as field-removed
	Level   Level
	Title   string // one line
	Message string
	File    string // as the user named it; empty if there is none
	Key     string // tells it from others of the same rule and file, in all runs alike; empty for the title
	Line    int    // 0 if unknown
	Place   string // in the file, such as v1 spec.replicas; may be empty
}

// WriteAnnotations writes annotations as GitHub or SARIF. rules describes the rules; it may lack some.
func WriteAnnotations(out io.Writer, format Format, list []Annotation, rules map[string]string) error {
	list = slices.Clone(list)
	root := checkout()
	for i := range list {
		list[i].File = within(root, list[i].File)
	}
	if format == SARIF {
		return writeSARIF(out, list, rules)
	}
	return writeGitHub(out, list)
}

// writeGitHub writes workflow commands of GitHub Actions, one a line. Text of others cannot begin a
// command, because it has no line breaks.
func writeGitHub(out io.Writer, list []Annotation) error {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, a := range list {
		level := string(a.Level)
		if a.Level == LevelNote {
			level = "notice"
		}
		var where []string
		if a.File != "" {
			where = append(where, "file="+property.Replace(a.File))
			if a.Line > 0 {
				where = append(where, fmt.Sprintf("line=%d", a.Line))
			}
		}
		where = append(where, "title="+property.Replace(a.Title))
		if _, err := fmt.Fprintf(out, "::%s %s::%s\n", level, strings.Join(where, ","), message.Replace(a.Message)); err != nil {
			return err
		}
	}
	return nil
}

// checkout returns the root of the Git repository that the command runs in, because GitHub reads
// paths from there; the working directory if there is none, and nothing if that is unknown.
func checkout() string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir := range repository.Up(here) {
		if repository.Is(dir) {
			return dir
		}
	}
	return here
}

// within returns the path of a file from a root. A file outside has its absolute path.
func within(root, file string) string {
	path, err := filepath.Abs(file)
	if file == "" || root == "" || err != nil {
		return file
	}
	below, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(below) {
		return path
	}
	return below
}

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
