package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/internal/rawjson"
)

func convertCommand() command {
	return command{
		name: "convert", args: "--to VERSION MODULE... [-- FILE...]", short: "convert objects as a gateway with these modules does",
		long: `Reads one object, a list (kubectl get -o json), or a ConversionReview from each FILE, or from standard input without a FILE, and writes
the converted objects as JSON, one after the other. It chains several modules as a gateway does, and fails if a result violates the
conversion contract.
`,
		example: "kubectl get crontabs -o json | crosswalk convert --to v2 CronTab.stable.example.com_v1_v2.wasm",
		setUp: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
			var how loading
			var to string
			var compact, each bool
			flags.StringVar(&to, "to", "", "the `version` to convert to, such as v2")
			flags.BoolVar(&compact, "compact", false, "write each object on one line, as the gateway would send it")
			flags.BoolVar(&each, "each", false, "convert each object in its own review, and write one line for each: the object, or {\"refused\":\"why\"}")
			how.flags(flags)
			return func(ctx context.Context, s streams, args []string) error {
				paths, files := args, []string(nil)
				if n := flags.ArgsLenAtDash(); n >= 0 {
					paths, files = args[:n], args[n:]
				}
				if len(paths) == 0 {
					return usagef("name at least one module")
				}
				modules, err := how.openAll(ctx, s, paths)
				if err != nil {
					return err
				}
				defer modules.close()
				to, err := desired(modules, to)
				if err != nil {
					return err
				}
				objects, err := readObjects(s.in, files) // last, so that errors above do not wait for standard input
				if err != nil {
					return err
				}
				if each {
					return convertEach(ctx, s.out, modules, to, objects)
				}
				return convert(ctx, s.out, modules, to, objects, compact)
			}
		},
	}
}

// readObjects reads the objects from files, or from in without files.
func readObjects(in io.Reader, files []string) (objects []json.RawMessage, err error) {
	if len(files) == 0 {
		text, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", err)
		}
		return objectsOf("standard input", text)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		more, err := objectsOf(file, text)
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

// objectsOf returns the objects of a document: an array, a list, a ConversionReview, or one object.
func objectsOf(from string, text []byte) ([]json.RawMessage, error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '[' {
		var objects []json.RawMessage
		if err := json.Unmarshal(text, &objects); err != nil {
			return nil, fmt.Errorf("%s is not JSON: %w", from, err)
		}
		return objects, nil
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s is empty: it must be an object, a list or a ConversionReview, as JSON", from)
	}
	var head struct {
		Kind    string
		Items   []json.RawMessage
		Request struct{ Objects []json.RawMessage }
	}
	switch err := json.Unmarshal(text, &head); {
	case err != nil:
		return nil, fmt.Errorf("%s is not a JSON object as kubectl get -o json writes it: %w", from, err)
	case head.Kind == "ConversionReview":
		return head.Request.Objects, nil
	case strings.HasSuffix(head.Kind, "List") && head.Items != nil:
		return head.Items, nil
	}
	return []json.RawMessage{text}, nil
}

// convert converts objects with the gateway's own converter and writes the results.
func convert(ctx context.Context, out io.Writer, modules opened, to string, objects []json.RawMessage, compact bool) error {
	answer, err := review(ctx, modules, to, objects)
	if err != nil {
		return err
	}
	for _, object := range answer {
		var b bytes.Buffer
		if compact {
			b.Write(object)
		} else if err := json.Indent(&b, object, "", "  "); err != nil {
			return err
		}
		b.WriteByte('\n')
		if _, err := out.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// convertEach converts each object separately. A failed conversion is a result, too.
func convertEach(ctx context.Context, out io.Writer, modules opened, to string, objects []json.RawMessage) error {
	for _, object := range objects {
		answer, err := review(ctx, modules, to, []json.RawMessage{object})
		line := []byte(nil)
		if err != nil {
			line = append(rawjson.Quote([]byte(`{"refused":`), err.Error()), '}')
		} else {
			line = answer[0]
		}
		if _, err := out.Write(append(line[:len(line):len(line)], '\n')); err != nil {
			return err
		}
	}
	return nil
}

// desired adds the modules' group to a version.
func desired(modules opened, to string) (string, error) {
	if strings.Contains(to, "/") {
		return to, nil
	}
	var versions []string
	for _, m := range modules {
		for _, e := range m.Edges() {
			if e.To == to {
				return e.Group + "/" + to, nil
			}
			versions = append(versions, e.To)
		}
	}
	if to == "" {
		return "", usagef("--to is missing: name one of the versions that the modules convert to (%s)", strings.Join(unique(versions), ", "))
	}
	return "", usagef("--to %s: the modules convert to %s", to, strings.Join(unique(versions), ", "))
}

func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// reviewOf returns a ConversionReview. It is put together by hand, for an encoder would change how the objects are written.
func reviewOf(to string, objects []json.RawMessage) []byte {
	body := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"crosswalk","desiredAPIVersion":`)
	body = append(rawjson.Quote(body, to), `,"objects":[`...)
	for i, object := range objects {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, object...)
	}
	return append(body, "]}}"...)
}

// review converts objects in one ConversionReview.
//
// The error has the message for the API server.
func review(ctx context.Context, modules host.Modules, to string, objects []json.RawMessage) ([]json.RawMessage, error) {
	answer, outcome, refused := host.NewConverter(host.ConverterConfig{Modules: modules}).Review(ctx, reviewOf(to, objects))
	if refused != nil {
		return nil, errors.New(refused.Message)
	}
	if outcome.Failure != "" {
		return nil, fmt.Errorf("%s (%s)", outcome.Message, outcome.Failure)
	}
	var got struct {
		Response struct{ ConvertedObjects []json.RawMessage }
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, err
	}
	return got.Response.ConvertedObjects, nil
}
