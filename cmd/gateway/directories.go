package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// verifyKeys reads the public keys of --verify-key.
func verifyKeys(file string) (sums.Keys, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--verify-key: %w", err)
	}
	keys, err := sums.ReadKeys(content)
	if err != nil {
		return nil, fmt.Errorf("--verify-key %s: %w", file, err)
	}
	return keys, nil
}

// checkDirectory returns an error that names the flag if a directory of modules does not exist.
func checkDirectory(flag, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s %s: the directory does not exist: create or mount it; modules can be added later", flag, dir)
	case err != nil:
		return fmt.Errorf("%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: not a directory: use the directory that contains the .wasm files", flag, dir)
	}
	return nil
}
