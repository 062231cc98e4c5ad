// Package input reads the objects that a command line names with -f: YAML or JSON, from files,
// directories and standard input, one document or many, lists and ConversionReviews.
package input

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"
)

// The bounds keep the memory below some gigabytes: a byte of a source takes about nine bytes, and a value
// of YAML 200 while its document is read. A list of 100,000 small objects has 22 MB. An object may be
// many times as large as the largest that an API server stores.
const (
	maxBytes  = 256 << 20  // of all sources of a command line together
	maxNodes  = 10_000_000 // values of a document of YAML
	maxDepth  = 1000       // of a document of YAML
	maxObject = 32 << 20   // bytes
)

// Object is one object of a source. Its numbers and the order of its members are as in the source.
type Object struct {
	JSON json.RawMessage
	From string // for messages: the source and the line
	YAML bool   // the source was YAML
}

// Flag declares -f. After parsing, the result has the values.
func Flag(flags *pflag.FlagSet, usage string) *[]string {
	return flags.StringArrayP("filename", "f", nil, usage)
}

// Read reads the objects of sources: files, directories, and - for standard input.
//
// # Errors
//
// A source does not exist, is empty, or is neither YAML nor JSON, an object exceeds 32 MiB, or the
// sources together exceed 256 MiB. The message names the source, and the line where possible.
func Read(stdin io.Reader, sources []string) (objects []Object, err error) {
	return ReadTree(stdin, sources, false)
}

// ReadTree is Read, and reads the directories below directories, too, if recursive is set.
func ReadTree(stdin io.Reader, sources []string, recursive bool) (objects []Object, err error) {
	left := int64(maxBytes)
	for _, source := range sources {
		files := []string{source}
		if info, err := os.Stat(source); source != "-" && err == nil && info.IsDir() {
			if files, err = filesIn(source, recursive); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			name, text, err := read(stdin, file, left)
			if err != nil {
				return nil, err
			}
			left -= int64(len(text))
			more, err := Parse(name, text)
			if err != nil {
				return nil, err
			}
			objects = append(objects, more...)
		}
	}
	return objects, nil
}

// read reads one source of at most so many bytes.
func read(stdin io.Reader, source string, most int64) (name string, text []byte, err error) {
	name, from := source, stdin
	if source == "-" {
		name = "standard input"
	} else {
		file, err := os.Open(source)
		if err != nil {
			return "", nil, err
		}
		defer file.Close()
		from = file
	}
	text, err = io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil && source == "-":
		return "", nil, fmt.Errorf("reading standard input: %w", err)
	case err != nil:
		return "", nil, err
	case int64(len(text)) > most:
		return "", nil, fmt.Errorf("%s: all sources together have more than %d MiB: use several runs", name, maxBytes>>20)
	}
	return name, text, nil
}

// filesIn lists the YAML and JSON files of a directory and, if recursive is set, of those below it.
// It follows no symbolic links to directories.
func filesIn(dir string, recursive bool) (files []string, err error) {
	err = filepath.WalkDir(dir+string(filepath.Separator), func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && filepath.Clean(file) != filepath.Clean(dir) && (!recursive || e.Name() == ".git"):
			return filepath.SkipDir
		case !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())):
			files = append(files, file)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no .yaml, .yml or .json files in it", dir)
	}
	return files, err
}

// Texts returns the JSON of objects.
func Texts(objects []Object) []json.RawMessage {
	list := make([]json.RawMessage, len(objects))
	for i, o := range objects {
		list[i] = o.JSON
	}
	return list
}
