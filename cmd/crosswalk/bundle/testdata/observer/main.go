// Command observer writes what it sees of its arguments and files to standard output.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

func main() {
	seen := map[string]any{"arguments": strings.Join(os.Args, " ")}
	stdin, err := os.ReadFile("/dev/stdin")
	seen["stdin"] = fmt.Sprint(string(stdin), " ", err)
	for _, name := range []string{"/script.txt", "script.txt", "./lib//a.txt", "/lib/deep/../a.txt", "/lib/empty", "/lib/deep/er/b", "/../script.txt", "/missing", "/script.txt/x", "/lib"} {
		content, err := os.ReadFile(name)
		seen["read "+name] = fmt.Sprint(string(content), " ", reason(err))
	}
	for _, name := range []string{"/", "/lib", "/lib/deep", "/script.txt"} {
		entries, err := os.ReadDir(name)
		text := fmt.Sprint(reason(err))
		for _, e := range entries {
			text += " " + fs.FormatDirEntry(e)
		}
		seen["list "+name] = text
	}
	many, err := os.ReadDir("/many")
	seen["list /many"] = fmt.Sprint(len(many), many[0].Name(), many[299].Name(), err)
	for _, name := range []string{"/", "/large", "/lib/deep", "/lib/nothing"} {
		info, err := os.Stat(name)
		text := fmt.Sprint(reason(err))
		if err == nil {
			text = fmt.Sprint(info.Mode(), info.Size())
		}
		seen["stat "+name] = text
	}
	seen["open"] = opened()
	seen["write"] = fmt.Sprint(reason(os.WriteFile("/new", nil, 0o644)), "; ", reason(os.WriteFile("/script.txt", nil, 0o644)), "; ", created())
	seen["large"] = large()
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		panic(err)
	}
}

func reason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return fmt.Sprint(err)
}

// opened opens as many files as it can, closes them, and opens them again.
func opened() string {
	var text string
	for range 2 {
		var all []*os.File
		for {
			f, err := os.Open("/lib/a.txt")
			if err != nil {
				text += fmt.Sprint(len(all), " ", reason(err), "; ")
				break
			}
			all = append(all, f)
		}
		for _, f := range all {
			f.Close()
		}
	}
	return text
}

func created() string {
	_, err := os.OpenFile("/script.txt", os.O_RDONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return reason(err)
}

// large reads a file in several ways.
func large() string {
	f, err := os.Open("/large")
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	sum := sha256.Sum256(all)
	text := fmt.Sprint(len(all), " ", err, " ", hex.EncodeToString(sum[:4]))
	part := make([]byte, 4)
	for _, seek := range []struct {
		offset int64
		whence int
	}{{100, io.SeekStart}, {-2, io.SeekEnd}, {-6, io.SeekCurrent}, {10, io.SeekEnd}, {-1, io.SeekStart}} {
		at, err := f.Seek(seek.offset, seek.whence)
		n, readErr := f.Read(part)
		text += fmt.Sprint("; ", at, " ", reason(err), " ", part[:n], " ", readErr)
	}
	n, err := f.ReadAt(part, 3<<20-3)
	return text + fmt.Sprint("; ", part[:n], " ", err)
}
