package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

// recorder writes stored objects to a file, with names and secrets replaced.
type recorder struct {
	names, secrets bool
	fields         [][]string // paths of more fields whose texts are replaced

	dir      string
	prefix   string // of the names of files
	clusters int
	path     string // of the file that is being written
	file     *os.File
	out      *bufio.Writer
	known    map[string]int // the number of each name
}

// newRecorder returns what records objects in a directory. replace is the value of --replace.
func newRecorder(dir string, replace []string) (*recorder, error) {
	r := &recorder{dir: dir, known: map[string]int{}}
	for _, word := range replace {
		switch {
		case word == "names":
			r.names = true
		case word == "secrets":
			r.secrets = true
		case strings.Contains(word, "."):
			r.fields = append(r.fields, strings.Split(strings.TrimPrefix(word, "."), "."))
		default:
			return nil, command.Usagef("--replace must be names, secrets or the path of a field such as spec.users, not %q", word)
		}
	}
	return r, os.MkdirAll(dir, 0o700)
}

// in names the context of the objects to come, which have files of their own.
func (r *recorder) in(context string) *recorder {
	if r != nil && context != "" {
		r.clusters++
		r.prefix = fmt.Sprintf("cluster-%d.", r.clusters)
	}
	return r
}

// open begins the file of a definition.
func (r *recorder) open(definition string) (err error) {
	r.path = filepath.Join(r.dir, r.prefix+definition+".json")
	if r.file, err = os.CreateTemp(r.dir, ".crosswalk-*"); err == nil {
		r.out = bufio.NewWriter(r.file)
	}
	return err
}

// tee records the objects of a sequence while another reads them.
func (r *recorder) tee(objects iter.Seq2[json.RawMessage, error]) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for text, err := range objects {
			if err == nil {
				err = r.add(text)
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}

// close moves the file to its place, or removes it after an error.
func (r *recorder) close(failed error) error {
	err := errors.Join(failed, r.out.Flush(), r.file.Close())
	if err == nil {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err != nil {
		_ = os.Remove(r.file.Name())
	}
	return err
}

func (r *recorder) add(text json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return err
	}
	r.metadata(object)
	for name, value := range object {
		if name != "apiVersion" && name != "kind" {
			object[name] = r.value(name, value, false)
		}
	}
	for _, path := range r.fields {
		cover(object, path)
	}
	line, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = r.out.Write(append(line, '\n'))
	return err
}

// metadata drops the parts of metadata that repeat the object's values in a form of their own.
func (r *recorder) metadata(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil || !r.names && !r.secrets {
		return
	}
	delete(metadata, "managedFields")
	annotations, _ := metadata["annotations"].(map[string]any)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	unstash(object)
	if uid, is := metadata["uid"].(string); is && r.names {
		metadata["uid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", r.number(uid))
	}
}

// unstash deletes the annotations in which modules keep values of another version.
func unstash(object map[string]any) {
	group, _, _ := strings.Cut(fmt.Sprint(object["apiVersion"]), "/")
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	maps.DeleteFunc(annotations, func(name string, _ any) bool { return strings.HasPrefix(name, "conversion."+group+"/") })
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// value returns a value with its names and secrets replaced.
func (r *recorder) value(field string, value any, secret bool) any {
	secret = secret || r.secrets && secretField.MatchString(field)
	switch v := value.(type) {
	case map[string]any:
		if name, is := v["name"].(string); is && r.secrets && field != "metadata" && secretField.MatchString(name) {
			secret = true // as in a list of variables; an object may have any name
		}
		for name, child := range v {
			v[name] = r.value(name, child, secret)
		}
	case []any:
		for i, child := range v {
			v[i] = r.value(field, child, secret)
		}
	case string:
		switch {
		case nameField.MatchString(field):
			if r.names && v != "" {
				return fmt.Sprintf("name-%d", r.number(v))
			}
		case secret || r.secrets && secretText.MatchString(v):
			return covered(v)
		}
	}
	return value
}

// number returns the number of a name, the same for the same name.
func (r *recorder) number(name string) int {
	if r.known[name] == 0 {
		r.known[name] = len(r.known) + 1
	}
	return r.known[name]
}

var (
	nameField   = regexp.MustCompile(`^(name|namespace|generateName|.*(Name|Namespace))$`)
	secretField = regexp.MustCompile(`(?i)(passw|secret|token|credential|passphrase|private_?key|api_?key|access_?key)`)
	secretText  = regexp.MustCompile(`-----BEGIN |://[^/@\s]+:[^/@\s]+@`)
)

// covered replaces letters and digits, so that lengths and most patterns still hold.
func covered(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsUpper(c):
			return 'X'
		case unicode.IsLetter(c):
			return 'x'
		case unicode.IsDigit(c):
			return '0'
		}
		return c
	}, text)
}

// cover replaces the texts at and below a path, through lists.
func cover(value any, path []string) {
	switch v := value.(type) {
	case []any:
		for i, child := range v {
			if text, is := child.(string); is && len(path) == 0 {
				v[i] = covered(text)
			}
			cover(child, path)
		}
	case map[string]any:
		for name, child := range v {
			if len(path) > 0 && name != path[0] {
				continue
			}
			if text, is := child.(string); is && len(path) < 2 {
				v[name] = covered(text)
			}
			cover(child, path[min(1, len(path)):])
		}
	}
}
