package meter

// isRemainder reports whether an instruction takes the remainder of integers.
func isRemainder(op byte) bool { return op == 0x6f || op == 0x70 || op == 0x81 || op == 0x82 }

// appendRemainder appends a division for an integer remainder: x − x/y·y. x and y are locals of the
// operands' type. The compiler of wazero v1.12.0 loses remainders on arm64 under register pressure
// (wazero pull request 2508). All architectures get the same code, so that frames, limits and tests
// are the same.
func appendRemainder(code []byte, op byte, x, y uint32) []byte {
	constant, divide, multiply, subtract, equal := byte(0x41), op-2, byte(0x6c), byte(0x6b), byte(0x46)
	if op >= 0x81 { // of 64 bits
		constant, multiply, subtract, equal = 0x42, 0x7e, 0x7d, 0x51
	}
	get := func(l uint32) { code = appendU32(append(code, 0x20), l) }
	code = appendU32(append(code, 0x21), y) // local.set
	code = appendU32(append(code, 0x22), x) // local.tee
	get(x)
	if signed := op&1 == 1; signed { // divide by 1 instead of −1: the smallest number has no negative
		code = append(code, constant, 1)
		get(y)
		get(y)
		code = append(code, constant, 0x7f, equal, 0x1b) // −1, eq, select
		code = appendU32(append(code, 0x22), y)
	} else {
		get(y)
	}
	code = append(code, divide)
	get(y)
	return append(code, multiply, subtract)
}
