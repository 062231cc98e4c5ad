package codecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The seal is the SHA-256, in hexadecimal, of the key and of every file below code with its name.
// It detects damage by disks, crashes and people. It does not keep attackers out: a user who may
// write the directory may write seals, which is why nobody else may.

func writeSeal(entry string, key Key) error {
	sum, err := sealOf(filepath.Join(entry, codeName), key)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(entry, sealName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(hex.EncodeToString(sum[:]))
	return errors.Join(err, f.Sync(), f.Close())
}

// checkSeal returns an error that describes the damage of an entry; nil if it is intact.
func checkSeal(entry string, key Key) error {
	inside, err := os.ReadDir(entry)
	if err != nil {
		return withoutPath(err)
	}
	if len(inside) != 2 || inside[0].Name() != codeName || inside[1].Name() != sealName {
		return errors.New("it is not as it was kept: files are missing, or more than there were")
	}
	if err := checkOwn(entry, fs.ModeDir); err != nil {
		return err
	}
	sum, err := sealOf(filepath.Join(entry, codeName), key)
	if err != nil {
		return err
	}
	was, err := readOwn(filepath.Join(entry, sealName), 2*sha256.Size+1)
	if err != nil {
		return err
	}
	if !bytes.Equal(was, []byte(hex.EncodeToString(sum[:]))) {
		return errors.New("it is not as it was kept: its seal does not fit")
	}
	return nil
}

// sealOf computes the seal of the files below code.
func sealOf(code string, key Key) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	h.Write(key.input[:])
	err = filepath.WalkDir(code, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return withoutPath(err)
		}
		name, err := filepath.Rel(code, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			fmt.Fprintf(h, "%q/\n", name)
			return checkOwn(path, fs.ModeDir)
		}
		file, err := openOwn(path)
		if err != nil {
			return err
		}
		defer file.Close()
		of := sha256.New()
		if _, err := io.Copy(of, file); err != nil {
			return withoutPath(err)
		}
		fmt.Fprintf(h, "%q %x\n", name, of.Sum(nil))
		return nil
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}

// openOwn opens a regular file of this user, and neither a link nor a pipe.
func openOwn(path string) (*os.File, error) {
	if err := checkOwn(path, 0); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	return f, nil
}

func readOwn(path string, max int64) ([]byte, error) {
	f, err := openOwn(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, max))
}

// checkOwn returns an error if another user could have made a file or directory.
func checkOwn(path string, want fs.FileMode) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return withoutPath(err)
	case info.Mode().Type() != want:
		return fmt.Errorf("%s in it is neither a file nor a directory, or one for the other", filepath.Base(path))
	}
	return checkOwner(info)
}

// withoutPath removes the path from an error: it leads through a descriptor, which means nothing to
// a reader.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
