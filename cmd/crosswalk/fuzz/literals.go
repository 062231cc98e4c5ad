package fuzz

import (
	"regexp"
	"slices"
)

// literal matches the texts in a module that may be values or names of fields, and quoted those of
// scripts.
var (
	literal = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._/:-]{1,39}`)
	quoted  = regexp.MustCompile("[\"'`]([A-Za-z0-9][A-Za-z0-9._/:-]{1,39})[\"'`]")
)

const (
	// maxLiterals bounds the words of a dictionary.
	maxLiterals = 4000
	// maxScanned bounds the bytes that are searched for literals: the last ones, which have the data.
	maxScanned = 8 << 20
)

// Literals returns the texts in a module, those in quotes first: constants with which it compares
// values are among them. It finds none in packed modules.
func Literals(wasm []byte) []string {
	wasm = wasm[max(0, len(wasm)-maxScanned):]
	first := found(quoted, wasm, 1)
	rest := slices.DeleteFunc(found(literal, wasm, 0), func(word string) bool {
		_, there := slices.BinarySearch(first, word)
		return there
	})
	return append(first, rest...)
}

// found returns the matches of a group, sorted, and evenly chosen if there are too many.
func found(pattern *regexp.Regexp, wasm []byte, group int) (all []string) {
	for _, at := range pattern.FindAllSubmatchIndex(wasm, -1) {
		all = append(all, string(wasm[at[2*group]:at[2*group+1]]))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	step, n := len(all)/(maxLiterals/2)+1, 0
	for i := 0; i < len(all); i += step {
		all[n] = all[i]
		n++
	}
	return all[:n]
}
