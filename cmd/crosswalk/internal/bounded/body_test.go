package bounded

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

func TestBody(t *testing.T) {
	const most = 1000
	for _, size := range []int{0, 1, most - 1, most, most + 1, 3 * most} {
		for name, reads := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader} {
			body := Body(io.NopCloser(reads(bytes.NewReader(make([]byte, size)))), most, "the answer")
			n, err := io.Copy(io.Discard, body)
			want := ""
			if size > most {
				want = "the answer has more than 1000 bytes"
			}
			said := ""
			if err != nil {
				said = err.Error()
			}
			if n != int64(min(size, most)) || said != want {
				t.Errorf("%d bytes, %s: %d bytes, %q; want %q", size, name, n, said, want)
			}
			if n, err := body.Read(make([]byte, 1)); size > most && (n != 0 || err == nil) {
				t.Errorf("%d bytes, %s: after the error %d bytes, %v", size, name, n, err)
			}
		}
	}
}
