// Package output writes the results of commands: tables for people, and JSON, YAML, JUnit, SARIF and
// GitHub's annotations for programs.
package output

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Format is a form of results, and the value of -o.
type Format string

// The formats. Each command accepts some of them.
const (
	Table Format = "table" // for people; the default of most commands
	JSON  Format = "json"  // one document
	YAML  Format = "yaml"  // the same document
	JUnit Format = "junit" // XML, for the test reports of CI systems
	Name  Format = "name"  // names only, one on a line

	GitHub Format = "github" // workflow commands of GitHub Actions, which annotate files
	SARIF  Format = "sarif"  // for programs that show findings beside code
)

// Flag declares -o with the formats that the command accepts. The first is the default. After
// parsing, the result has the value.
func Flag(flags *pflag.FlagSet, formats ...Format) *Format {
	value := &format{formats[0], formats}
	flags.VarP(value, "output", "o", "`FORMAT` of the output: "+listed(formats))
	return &value.Format
}

// Names returns the formats as words, for completion.
func Names(formats ...Format) (names []string) {
	for _, f := range formats {
		names = append(names, string(f))
	}
	return names
}

type format struct {
	Format
	may []Format
}

func (f *format) Set(text string) error {
	if !slices.Contains(f.may, Format(text)) {
		return fmt.Errorf("must be %s, not %q", listed(f.may), text)
	}
	f.Format = Format(text)
	return nil
}

func (f *format) String() string { return string(f.Format) }

// Type is the name of the value in messages.
func (f *format) Type() string { return "format" }

func listed(formats []Format) string {
	names := Names(formats...)
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// IsTerminal reports whether a person sees the output. Progress lines are for terminals only.
func IsTerminal(w io.Writer) bool {
	if s, wrapped := w.(*screen); wrapped {
		w = s.to
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Paint returns the function that colours text for an output: none, unless the output is a
// terminal and neither NO_COLOR nor TERM=dumb is set.
func Paint(w io.Writer) func(c Colour, text string) string {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !IsTerminal(w) {
		return func(_ Colour, text string) string { return text }
	}
	return func(c Colour, text string) string { return string(c) + text + endColour }
}

// Colour is a colour of a terminal.
type Colour string

// The colours.
const (
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"
	Grey   Colour = "\x1b[90m"

	endColour = "\x1b[0m"
)
