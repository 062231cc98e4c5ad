// Package bounded reads files and answers of people who may be wrong, or hostile: no more than a bound,
// whatever size a directory or a header shows, which says nothing of a pipe, a device or a file that
// grows.
package bounded

import (
	"fmt"
	"io"
	"os"
)

// Body returns the body of an HTTP answer that ends with an error after so many bytes. The caller closes
// it, which closes the body. name stands for the answer in the error: "the manifest". It is not safe for
// concurrent use.
func Body(body io.ReadCloser, most int64, name string) io.ReadCloser {
	return &answer{ReadCloser: body, most: most, left: most, name: name}
}

type answer struct {
	io.ReadCloser
	most, left int64
	name       string
}

// Read reads the body.
func (a *answer) Read(p []byte) (int, error) {
	if a.left < 0 {
		return 0, a.tooLong()
	}
	n, err := a.ReadCloser.Read(p[:min(int64(len(p)), a.left+1)])
	if a.left -= int64(n); a.left < 0 {
		return n - 1, a.tooLong() // without the byte that shows that there is more
	}
	return n, err
}

func (a *answer) tooLong() error { return fmt.Errorf("%s has more than %d bytes", a.name, a.most) }

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
