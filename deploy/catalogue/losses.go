package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// shownFindings is how many findings an error lists; a file has all.
const shownFindings = 3

// losses looks for losses with crosswalk fuzz, the operator's definition and its samples. A finding
// that the sidecar does not acknowledge is an error, and so is an acknowledgement without a finding.
func (o options) losses(ctx context.Context, e *entry, d crd) error {
	args := []string{"fuzz", "--quiet", "-o", "json", "--seed", "1", "--objects", fmt.Sprint(o.objects), "--crd", d.file}
	out, failed := command(ctx, e.dir, o.program, append(args, e.Module)...) // it fails if there is a finding
	var reports []fuzz.Report
	if err := json.Unmarshal([]byte(out), &reports); err != nil || len(reports) != 1 {
		return fmt.Errorf("crosswalk fuzz has no report: %w", failed)
	}
	r := reports[0]
	if n := len(r.Findings); n > 0 {
		var lines []string
		for _, f := range r.Findings {
			lines = append(lines, f.Text())
		}
		file := filepath.Join(e.project, "unexplained.txt")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return err
		}
		return fmt.Errorf("the list does not explain %d findings of crosswalk fuzz: %s", n, strings.Join(lines[:min(n, shownFindings)], "; "))
	}
	for _, u := range r.Unused {
		return fmt.Errorf("the list explains a loss that crosswalk fuzz did not find: %s: remove it", u.Text())
	}
	for _, f := range r.Known {
		e.Losses = append(e.Losses, Loss{From: f.From, To: f.To, Path: f.Path, Property: f.Property, Class: f.Class, Reason: f.Reason})
	}
	return nil
}
