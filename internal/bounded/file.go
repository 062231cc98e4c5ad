// Package bounded reads files and answers of people who may be wrong, or hostile: no more than a bound,
// whatever size a directory or a header shows, which says nothing of a pipe, a device or a file that
// grows.
package bounded

import (
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file of at most so many bytes, which must be whole MiB for the message.
//
// # Errors
//
// It is a directory, cannot be read, or has more bytes. The message names the file.
func ReadFile(path string, most int64) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory: name a file in it", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return text, err
}
