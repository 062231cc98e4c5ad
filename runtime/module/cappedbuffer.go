package module

import "bytes"

// cappedBuffer keeps written bytes up to a bound; a negative left means that there were more.
// Writing never fails: a program that sees its stdout fail may do anything, and its answer is lost
// in any case.
type cappedBuffer struct {
	bytes.Buffer
	left int
}

func (b *cappedBuffer) write(p []byte) {
	if b.left >= 0 {
		if b.left -= len(p); b.left >= 0 {
			b.Buffer.Write(p)
		}
	}
}
