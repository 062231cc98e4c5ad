package meter

import "encoding/binary"

func appendU32(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

// appendS64 appends a signed LEB128 number.
func appendS64(b []byte, v int64) []byte {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

func appendName(b []byte, s string) []byte { return append(appendU32(b, uint32(len(s))), s...) }

func appendType(b []byte, t FuncType) []byte {
	b = append(b, 0x60)
	for _, list := range [][]ValueType{t.Params, t.Results} {
		b = appendU32(b, uint32(len(list)))
		for _, v := range list {
			b = append(b, byte(v))
		}
	}
	return b
}

// appendSection appends a section with so many entries.
func appendSection(b []byte, id byte, entries int, content []byte) []byte {
	n := appendU32(nil, uint32(entries))
	b = append(b, id)
	b = appendU32(b, uint32(len(n)+len(content)))
	return append(append(b, n...), content...)
}
