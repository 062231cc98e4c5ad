package definition

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/yamlfile"
	"github.com/crosswalk-gateway/crosswalk/host/schema"
)

// File is a definition and the file that has it; the zero value if there is none.
type File struct {
	Definition
	Schemas *schema.CRD // of the same definition, as a gateway reads it
	Path    string
}

// ReadFile reads the definition of a kind (<Kind>.<group>, or empty for the only definition) from
// a file, such as an operator's release manifest.
//
// # Errors
//
// A SeveralError if the file has several definitions, none of them for the kind; or an API server
// rejects the definition.
func ReadFile(path, kind string) (f File, err error) {
	all, _, err := readPath(path)
	if err != nil {
		return File{}, err
	}
	i := 0
	if len(all) > 1 {
		var kinds []string
		for _, one := range all {
			kinds = append(kinds, one.Kind())
		}
		if i = slices.Index(kinds, kind); i < 0 {
			slices.Sort(kinds)
			return File{}, SeveralError{fmt.Errorf("%s defines %d kinds: %s", path, len(kinds), strings.Join(slices.Compact(kinds), ", "))}
		}
	}
	f = File{Definition: all[i], Path: path}
	if err := f.Accepted(); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	if f.Schemas, err = schema.Parse(f.Text); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// ReadSource returns the definitions of a file, or of standard input if path is -, and its text.
//
// The errors are those of [Read].
func ReadSource(stdin io.Reader, path string) (all []Definition, text []byte, err error) {
	if path == "-" {
		return readFrom(stdin, "standard input")
	}
	return readPath(path)
}

func readPath(path string) (all []Definition, text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s is a directory: name the file with the definition", path)
	}
	return readFrom(file, path)
}

// readFrom reads no more than a definition may have.
func readFrom(from io.Reader, name string) (all []Definition, text []byte, err error) {
	if text, err = io.ReadAll(io.LimitReader(from, maxFile+1)); err == nil {
		text, _ = yamlfile.InUTF8(text)
		all, err = Read(text)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, text, nil
}

// SeveralError is the error for a file with several definitions, none of them for the requested
// kind.
type SeveralError struct{ error }
