package wasi

// errno is the result of a function: an error number of WASI preview 1.
type errno uint16

const (
	success errno = 0
	badf    errno = 8  // not an open file descriptor
	fault   errno = 21 // a pointer leads outside memory
	inval   errno = 28 // a parameter has no meaning, or a list is too long
	nosys   errno = 52 // the function does not exist here
	notsup  errno = 58 // not supported for this file descriptor
)
