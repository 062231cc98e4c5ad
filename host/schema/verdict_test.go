package schema

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// verdicts is the file with the verdicts of the API server. test/schema writes it, and checks that
// the API server still agrees.
var verdicts = flag.String("verdicts", "testdata/verdicts.jsonl.gz", "objects and what an API server says about them")

// ruled is a line of the file: a schema, or an object and its violations by the schema of an
// earlier line.
type ruled struct {
	Definition, Version string
	Schema, Object      json.RawMessage
	Unknown             []string // paths
	Invalid             []string // paths, each with the sort of the error
}

// forEachRuled calls f for every object of the file, with its line and the definition and version
// that it belongs to.
func forEachRuled(t *testing.T, f func(n int, l *ruled, crd *CRD, version string)) {
	t.Helper()
	file, err := os.Open(*verdicts)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	inflated, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := definitions(t)
	lines := bufio.NewScanner(inflated)
	lines.Buffer(nil, 1<<20)
	var crd *CRD
	var version string
	for n := 1; lines.Scan(); n++ {
		var l ruled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Definition != "":
			crd, version = parse(t, files[strings.TrimSuffix(l.Definition, ".yaml.gz")]), l.Version
		case l.Schema != nil:
			crd, version = parse(t, []byte(withRoot(string(l.Schema)))), "v1"
		default:
			f(n, &l, crd, version)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestVerdicts holds the check to the verdicts of the API server's own code, about made-up schemas
// and real ones.
func TestVerdicts(t *testing.T) {
	violations, failures := 0, 0
	forEachRuled(t, func(n int, l *ruled, crd *CRD, version string) {
		found, wrong := l.compare(t, crd, version)
		violations += found
		if wrong != "" {
			t.Errorf("line %d: %s\nobject %s", n, wrong, l.Object)
			if failures++; failures == 5 {
				t.FailNow()
			}
		}
	})
	if violations < 1000 {
		t.Errorf("only %d violations in the file", violations)
	}
}

// compare returns the number of violations, and the differences between the two verdicts.
func (l *ruled) compare(t *testing.T, crd *CRD, version string) (found int, wrong string) {
	t.Helper()
	var unknown []string
	own := map[string][]string{} // path → messages
	err := crd.Check(version, l.Object, Options{}, func(v Violation) bool {
		found++
		path := normal(v.Path)
		if v.Pruned {
			unknown = append(unknown, path)
		} else {
			own[path] = append(own[path], v.Message)
		}
		return true
	})
	if err != nil {
		return found, err.Error()
	}
	slices.Sort(unknown)
	// The API server also lists violations inside a value that has a wrong type.
	want := slices.DeleteFunc(l.Unknown, func(path string) bool { return covered(own, path, isType) })
	if !slices.Equal(unknown, want) {
		return found, "unknown fields " + strings.Join(unknown, ", ") + ", not " + strings.Join(want, ", ")
	}
	theirs := map[string][]string{} // path → sorts
	for _, entry := range l.Invalid {
		i := strings.LastIndexByte(entry, ' ')
		theirs[entry[:i]] = append(theirs[entry[:i]], entry[i+1:])
	}
	for path, messages := range own {
		sorts := theirs[path]
		if messages[0] == "must be a string, not an array" {
			continue // the API server does not mind if the string has a format
		}
		if strings.HasPrefix(messages[0], "repeats ") && listed(theirs, path) {
			continue
		}
		if len(sorts) == 0 {
			return found, "at " + path + " " + strings.Join(messages, "; ") + ", to the API server it is fine"
		}
		if len(sorts) == 1 && len(messages) == 1 && sortOf(messages[0]) != sorts[0] && !(isType(messages[0]) && sorts[0] == "Invalid") {
			return found, "at " + path + " " + strings.Join(messages, "; ") + ", to the API server it is " + sorts[0]
		}
	}
	for path, sorts := range theirs {
		if slices.Equal(sorts, []string{"Duplicate"}) && slices.ContainsFunc(below(own, path), isType) {
			continue // keys of a wrong type; to the API server they may be equal once it dropped parts of them
		}
		if len(own[path]) == 0 && !covered(own, path, isType) && !covered(own, path, isCombination) {
			return found, "at " + path + " all is fine, to the API server it is " + strings.Join(sorts, "; ")
		}
	}
	return found, ""
}

// covered reports whether a value around the path has a violation of the sort; about the inside of
// such a value the API server says more.
func covered(own map[string][]string, path string, sort func(message string) bool) bool {
	for at := range own {
		inside := at == "" || strings.HasPrefix(path, at+".") || strings.HasPrefix(path, at+"[")
		if inside && slices.ContainsFunc(own[at], sort) {
			return true
		}
	}
	return false
}

// below returns the messages about the parts of the value at the path.
func below(own map[string][]string, path string) []string {
	var list []string
	for at, messages := range own {
		if strings.HasPrefix(at, path+".") {
			list = append(list, messages...)
		}
	}
	return list
}

// listed says whether the API server found something wrong with another element of the list that
// the path leads into. Of elements that are equal it names the second only, and it does not compare
// them if one has a wrong type.
func listed(theirs map[string][]string, path string) bool {
	list := path[:strings.LastIndexByte(path, '[')+1]
	for at, sorts := range theirs {
		if strings.HasPrefix(at, list) && (slices.Contains(sorts, "Duplicate") || slices.Contains(sorts, "TypeInvalid")) {
			return true
		}
	}
	return false
}

func isType(message string) bool {
	return strings.Contains(message, ", not a") || strings.HasSuffix(message, ", not null")
}

func isCombination(message string) bool {
	return strings.Contains(message, " schemas of ") || strings.HasPrefix(message, "must have at least one of ") || strings.HasPrefix(message, "must have exactly one of ")
}

// sortOf returns the API server's name for a violation with the message.
func sortOf(message string) string {
	switch {
	case strings.HasPrefix(message, "is required"):
		return "Required"
	case strings.HasPrefix(message, "must be one of "):
		return "NotSupported"
	case strings.HasPrefix(message, "repeats "):
		return "Duplicate"
	case isCombination(message):
		return "Invalid"
	case strings.HasPrefix(message, "must have at most ") && strings.Contains(message, "character"):
		return "TooLong"
	case strings.HasPrefix(message, "must have at most "):
		return "TooMany"
	case strings.HasPrefix(message, "must have the format "), isType(message):
		return "TypeInvalid"
	}
	return "Invalid"
}

// normal writes the keys of maps like fields, as the file does.
func normal(path string) string {
	return strings.TrimPrefix(regexp.MustCompile(`\["?([^\]0-9"][^\]"]*)"?\]`).ReplaceAllString(path, ".$1"), ".")
}
