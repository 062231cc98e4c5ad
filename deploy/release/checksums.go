package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// checksums writes SHA256SUMS, which sha256sum -c reads.
func (r release) checksums(context.Context) error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, e := range entries {
		sum, err := checksum(r.path(e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sum, e.Name())
	}
	return os.WriteFile(r.path("SHA256SUMS"), list.Bytes(), 0o644)
}

func checksum(file string) ([]byte, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
}
