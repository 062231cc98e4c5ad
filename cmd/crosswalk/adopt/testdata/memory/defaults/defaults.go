// Package defaults has values that other packages copy when they are initialised.
package defaults

var Prefix = "-"
