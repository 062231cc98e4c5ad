package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// steps has an object refused, swaps the module while it converts, and has a broken file refused. The
// gateway must convert during all of it.
func steps(ctx context.Context, modules, convert, admin, ca string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // ends a run that waits for something that never comes
	defer cancel()
	converts := func() error { return answers(ctx, convert, ca, review, `"status": "Success"`, `"min": "30"`) }
	if err := converts(); err != nil {
		return err
	}
	if err := answers(ctx, convert, ca, strings.Replace(review, "30 2 * * 1-5", "30 2", 1), `"status": "Failed"`, ".spec.cronSpec must have five fields"); err != nil {
		return err
	}
	other, err := os.ReadFile(filepath.Join(plugins, "rules", module))
	if err != nil {
		return err
	}
	for _, next := range []struct {
		content []byte
		said    string
	}{
		{other, fmt.Sprintf("%x", sha256.Sum256(other))},
		{[]byte("broken"), `"lastError"`},
	} {
		file := filepath.Join(modules, module)
		if err := os.WriteFile(file+".tmp", next.content, 0o644); err != nil {
			return err
		}
		if err := os.Rename(file+".tmp", file); err != nil {
			return err
		}
		for said := false; !said; {
			_, text, err := get(ctx, admin+"/modules")
			if err != nil {
				return err
			}
			said = strings.Contains(text, next.said)
			if err := converts(); err != nil {
				return fmt.Errorf("while the module was replaced: %w", err)
			}
		}
	}
	return nil
}

// answers fails unless the answer to a review has the texts.
func answers(ctx context.Context, convert, ca, review string, texts ...string) error {
	answer, _, err := post(ctx, convert, ca, review)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			return fmt.Errorf("the answer lacks %s:\n%s", text, answer)
		}
	}
	return nil
}
