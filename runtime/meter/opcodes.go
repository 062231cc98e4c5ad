package meter

// Types in the tables below are one letter each: i i32, l i64, f f32, d f64, v v128.

func typeOf(letter byte) ValueType {
	switch letter {
	case 'i':
		return I32
	case 'l':
		return I64
	case 'f':
		return F32
	case 'd':
		return F64
	}
	return V128
}

// signature is the operands and the result of a plain instruction.
type signature struct {
	takes string // in the order of the stack, the last is on top
	gives byte   // 0: no result
}

// plain holds the instructions without immediates, by opcode.
var plain = func() (t [256]*signature) {
	set := func(from, to int, takes string, gives byte) {
		for op := from; op <= to; op++ {
			t[op] = &signature{takes, gives}
		}
	}
	set(0x45, 0x45, "i", 'i')
	set(0x46, 0x4f, "ii", 'i')
	set(0x50, 0x50, "l", 'i')
	set(0x51, 0x5a, "ll", 'i')
	set(0x5b, 0x60, "ff", 'i')
	set(0x61, 0x66, "dd", 'i')
	set(0x67, 0x69, "i", 'i')
	set(0x6a, 0x78, "ii", 'i')
	set(0x79, 0x7b, "l", 'l')
	set(0x7c, 0x8a, "ll", 'l')
	set(0x8b, 0x91, "f", 'f')
	set(0x92, 0x98, "ff", 'f')
	set(0x99, 0x9f, "d", 'd')
	set(0xa0, 0xa6, "dd", 'd')
	// Conversions, one by one from i32.wrap_i64.
	for i, c := range []string{
		"li", "fi", "fi", "di", "di", "il", "il", "fl", "fl", "dl", "dl", "if", "if", "lf", "lf", "df",
		"id", "id", "ld", "ld", "fd", "fi", "dl", "if", "ld", "ii", "ii", "ll", "ll", "ll",
	} {
		set(0xa7+i, 0xa7+i, c[:1], c[1])
	}
	return t
}()

// access is a load or store.
type access struct {
	align byte // the largest exponent of the alignment that may be declared
	signature
}

// accesses holds loads and stores by opcode.
var accesses = func() (t [256]*access) {
	for i, a := range []struct {
		align byte
		of    byte
	}{
		{2, 'i'}, {3, 'l'}, {2, 'f'}, {3, 'd'}, // whole values
		{0, 'i'}, {0, 'i'}, {1, 'i'}, {1, 'i'}, // 8 and 16 bits
		{0, 'l'}, {0, 'l'}, {1, 'l'}, {1, 'l'}, {2, 'l'}, {2, 'l'},
	} {
		t[0x28+i] = &access{a.align, signature{"i", a.of}}
	}
	for i, a := range []struct {
		align byte
		of    string
	}{
		{2, "i"}, {3, "l"}, {2, "f"}, {3, "d"}, {0, "i"}, {1, "i"}, {0, "l"}, {1, "l"}, {2, "l"},
	} {
		t[0x36+i] = &access{a.align, signature{"i" + a.of, 0}}
	}
	return t
}()

// saturating holds the first eight instructions of prefix 0xfc: conversions of floats that
// saturate.
var saturating = [...]signature{{"f", 'i'}, {"f", 'i'}, {"d", 'i'}, {"d", 'i'}, {"f", 'l'}, {"f", 'l'}, {"d", 'l'}, {"d", 'l'}}

// vector is an instruction of prefix 0xfd.
type vector struct {
	signature
	memory bool // has an alignment, at most align, and an offset
	align  byte
	lanes  byte // has a lane index below this
	bytes  int  // has so many bytes of immediate: v128.const
	mix    bool // has 16 lane indices below 32: i8x16.shuffle
}

// vectors holds the instructions of prefix 0xfd by their number; nil if a number is unused.
var vectors = func() (t [256]*vector) {
	set := func(from, to int, takes string, gives byte) {
		for n := from; n <= to; n++ {
			t[n] = &vector{signature: signature{takes, gives}}
		}
	}
	memory := func(n int, align byte, takes string, gives byte, lanes byte) {
		t[n] = &vector{signature: signature{takes, gives}, memory: true, align: align, lanes: lanes}
	}
	lane := func(n int, lanes byte, takes string, gives byte) {
		t[n] = &vector{signature: signature{takes, gives}, lanes: lanes}
	}
	// Most take two vectors and give one, or take one.
	set(14, 14, "vv", 'v')
	set(35, 76, "vv", 'v')
	set(77, 77, "v", 'v')
	set(78, 81, "vv", 'v')
	set(82, 82, "vvv", 'v')
	set(83, 83, "v", 'i')
	set(94, 95, "v", 'v')
	for _, base := range []int{96, 128, 160, 192} { // i8x16, i16x8, i32x4, i64x2: 32 numbers each
		set(base, base+1, "v", 'v')      // abs, neg
		set(base+3, base+4, "v", 'i')    // all_true, bitmask
		set(base+11, base+13, "vi", 'v') // shl, shr_s, shr_u
		set(base+14, base+14, "vv", 'v') // add
		set(base+17, base+17, "vv", 'v') // sub
	}
	set(98, 98, "v", 'v')                  // i8x16.popcnt
	set(101, 102, "vv", 'v')               // i8x16.narrow
	set(103, 106, "v", 'v')                // f32x4 rounding
	set(111, 112, "vv", 'v')               // i8x16.add_sat
	set(114, 115, "vv", 'v')               // i8x16.sub_sat
	set(116, 117, "v", 'v')                // f64x2.ceil, floor
	set(118, 121, "vv", 'v')               // i8x16.min, max
	set(122, 122, "v", 'v')                // f64x2.trunc
	set(123, 123, "vv", 'v')               // i8x16.avgr_u
	set(124, 127, "v", 'v')                // extadd_pairwise
	set(130, 130, "vv", 'v')               // i16x8.q15mulr_sat_s
	set(133, 134, "vv", 'v')               // i16x8.narrow
	set(135, 138, "v", 'v')                // i16x8.extend
	set(143, 144, "vv", 'v')               // i16x8.add_sat
	set(146, 147, "vv", 'v')               // i16x8.sub_sat
	set(148, 148, "v", 'v')                // f64x2.nearest
	set(149, 153, "vv", 'v')               // i16x8.mul, min, max
	set(155, 159, "vv", 'v')               // i16x8.avgr_u, extmul
	set(167, 170, "v", 'v')                // i32x4.extend
	set(181, 186, "vv", 'v')               // i32x4.mul, min, max, dot
	set(188, 191, "vv", 'v')               // i32x4.extmul
	set(199, 202, "v", 'v')                // i64x2.extend
	set(213, 223, "vv", 'v')               // i64x2.mul, comparisons, extmul
	for _, base := range []int{224, 236} { // f32x4, f64x2
		set(base, base+1, "v", 'v')     // abs, neg
		set(base+3, base+3, "v", 'v')   // sqrt
		set(base+4, base+11, "vv", 'v') // add … pmax
	}
	set(248, 255, "v", 'v') // conversions
	// Lanes and splats.
	for i, s := range []string{"i", "i", "i", "l", "f", "d"} {
		set(15+i, 15+i, s, 'v')
	}
	lane(21, 16, "v", 'i')
	lane(22, 16, "v", 'i')
	lane(23, 16, "vi", 'v')
	lane(24, 8, "v", 'i')
	lane(25, 8, "v", 'i')
	lane(26, 8, "vi", 'v')
	lane(27, 4, "v", 'i')
	lane(28, 4, "vi", 'v')
	lane(29, 2, "v", 'l')
	lane(30, 2, "vl", 'v')
	lane(31, 4, "v", 'f')
	lane(32, 4, "vf", 'v')
	lane(33, 2, "v", 'd')
	lane(34, 2, "vd", 'v')
	// Memory.
	memory(0, 4, "i", 'v', 0)
	for n := 1; n <= 6; n++ {
		memory(n, 3, "i", 'v', 0)
	}
	for i := range 4 {
		align := byte(i)
		memory(7+i, align, "i", 'v', 0)           // splat
		memory(84+i, align, "iv", 'v', 16>>align) // load_lane
		memory(88+i, align, "iv", 0, 16>>align)   // store_lane
	}
	memory(11, 4, "iv", 0, 0)
	memory(92, 2, "i", 'v', 0)
	memory(93, 3, "i", 'v', 0)
	t[12] = &vector{signature: signature{"", 'v'}, bytes: 16}
	t[13] = &vector{signature: signature{"vv", 'v'}, mix: true}
	return t
}()
