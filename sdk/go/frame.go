package crosswalk

// The frames of the gateway's ABI, version 1. All integers are unsigned, 32 bits, little-endian.
//
//	request    count, length of the desired apiVersion, the desired apiVersion, then count × (length, object)
//	response   count × (status, length, bytes): status 0 and the converted object, 1 and why it cannot be converted, or 2 and how the
//	           converter crashed, which ends the response

const (
	statusConverted = 0
	statusRefused   = 1
	statusCrashed   = 2
)

// answer converts the batch in request and appends the response to dst. ok is false if the request
// is not a valid frame, which a gateway never sends.
func (r *registry) answer(dst, request []byte) (response []byte, ok bool) {
	count, rest, ok := readUint32(request)
	if !ok {
		return nil, false
	}
	desired, rest, ok := readBytes(rest)
	if !ok {
		return nil, false
	}
	// Most conversions change the size little, so this capacity rarely has to grow.
	if want := len(request) + len(request)/8 + 64*min(int(count), len(request)/4); cap(dst) < want {
		dst = make([]byte, 0, want)
	}
	version := r.version(desired)
	for range count {
		var object []byte
		if object, rest, ok = readBytes(rest); !ok {
			return nil, false
		}
		head := len(dst)
		dst = append(dst, statusConverted, 0, 0, 0, 0, 0, 0, 0)
		body := len(dst)
		out, crash, err := r.attempt(dst, object, version)
		switch {
		case crash != nil:
			out = append(dst, crash...)
			out[head] = statusCrashed
		case err != nil:
			out = append(out[:body], err.Error()...)
			out[head] = statusRefused
		}
		writeUint32(out[head+4:], uint32(len(out)-body))
		dst = out
		if crash != nil { // the gateway throws the instance away
			return dst, true
		}
	}
	return dst, len(rest) == 0
}

// version returns text as a string, without allocating for the version of a conversion.
func (r *registry) version(text []byte) string {
	for i := range r.conversions {
		if to := r.conversions[i].to; to == string(text) {
			return to
		}
	}
	return string(text)
}

// attempt calls convert and returns a panic of the converter as the text of a crash. It leaves the
// content of dst unchanged.
func (r *registry) attempt(dst, object []byte, desired string) (out, crash []byte, refusal error) {
	defer func() {
		if p := recover(); p != nil {
			crash = appendf(nil, "panic: %v", []any{p})
			if at := panicked(); at != "" {
				crash = appendf(crash, " at %s", []any{at})
			}
		}
	}()
	out, refusal = r.convert(dst, object, desired)
	return out, nil, refusal
}

func readUint32(b []byte) (v uint32, rest []byte, ok bool) {
	if len(b) < 4 {
		return 0, nil, false
	}
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24, b[4:], true
}

// readBytes reads a length and that number of bytes.
func readBytes(b []byte) (text, rest []byte, ok bool) {
	n, b, ok := readUint32(b)
	if !ok || uint64(n) > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}

func writeUint32(b []byte, v uint32) {
	_ = b[3]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}
