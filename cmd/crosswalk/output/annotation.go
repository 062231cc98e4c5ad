package output

import (
	"fmt"
	"io"
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
