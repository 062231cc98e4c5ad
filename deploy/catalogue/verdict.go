package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// verdict is the part of crosswalk adopt's report.json that counts here.
type verdict struct {
	Verdict  string
	Reasons  []string
	Accepted []string // lines of adopt.lock
	Pairs    []struct{ Compared int }
	// Coverage is that of the operator's conversion.
	Coverage struct {
		Blocks, Ran int
	}
}

func readVerdict(project string) (v verdict, err error) {
	content, err := os.ReadFile(filepath.Join(project, "report.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return v, errors.New("crosswalk adopt wrote no report.json")
	}
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(content, &v); err != nil {
		return v, fmt.Errorf("report.json: %w", err)
	}
	return v, nil
}
