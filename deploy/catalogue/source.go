package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// source is the text of an operator's modules at its version.
type source struct {
	module, files string // directories in Go's module cache
}

// download fetches an operator's modules by Go's module proxy.
func (o *operator) download(ctx context.Context, work string) (s source, err error) {
	if s.module, err = downloadModule(ctx, work, o.Module, o.Version); err != nil {
		return s, err
	}
	s.files = s.module
	if o.Files != o.Module {
		s.files, err = downloadModule(ctx, work, o.Files, o.Version)
	}
	return s, err
}

func downloadModule(ctx context.Context, work, module, version string) (dir string, err error) {
	out, err := command(ctx, work, "go", "mod", "download", "-json", module+"@"+version)
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal([]byte(out), &found); jsonErr == nil && found.Error != "" {
		err = errors.New(found.Error)
	}
	if err != nil {
		return "", fmt.Errorf("downloading %s@%s: %w", module, version, err)
	}
	return found.Dir, nil
}

// quotedLines is how many lines a quote may have.
const quotedLines = 8

// quotes returns an error if the source of a loss does not have its quote: a reason must not outlive
// the operator's text.
func (s source) quotes(l loss) error {
	file, number, ok := strings.Cut(l.Source, ":")
	line, err := strconv.Atoi(number)
	if !ok || err != nil || line < 1 {
		return fmt.Errorf("the source %q of a loss must be FILE:LINE", l.Source)
	}
	content, err := os.ReadFile(filepath.Join(s.module, file))
	if errors.Is(err, fs.ErrNotExist) {
		content, err = os.ReadFile(filepath.Join(s.files, file))
	}
	if err != nil {
		return fmt.Errorf("reading the source of a loss: %w", err)
	}
	lines := strings.Split(string(content), "\n")
	if line <= len(lines) {
		first, text := words(lines[line-1:line]), words(lines[line-1:min(line-1+quotedLines, len(lines))])
		if at := strings.Index(text, words([]string{l.Quote})); at >= 0 && at <= len(first) {
			return nil
		}
	}
	return fmt.Errorf("%s does not have the text %q: correct the source of the loss, or its reason", l.Source, l.Quote)
}

// words joins lines of code or of a comment, with one space between two words.
func words(lines []string) string {
	var all []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		for _, marker := range []string{"//", "#", "*"} {
			line = strings.TrimPrefix(line, marker)
		}
		all = append(all, strings.Fields(line)...)
	}
	return strings.Join(all, " ")
}
