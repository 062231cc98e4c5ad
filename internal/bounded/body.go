package bounded

import (
	"fmt"
	"io"
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
