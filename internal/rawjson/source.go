package rawjson

// source is a document and the first error in it. Its methods read one string, number or literal: they
// know nothing of the containers around it.
type source struct {
	doc []byte
	err *SyntaxError
}
