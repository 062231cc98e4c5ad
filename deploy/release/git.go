package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// cleanRevision returns the revision of the working tree, which must not differ from it: a release
// can be made again from its revision alone.
func cleanRevision(ctx context.Context) (string, error) {
	changed, err := git(ctx, "status", "--porcelain")
	if err != nil {
		return "", err
	}
	if changed != "" {
		return "", errors.New("the working tree has changes: commit them, or make the release from a fresh clone")
	}
	return git(ctx, "rev-parse", "HEAD")
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
