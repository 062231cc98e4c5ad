// Package names has a type with the name of another package's field.
package names

type Current struct{ Prefix string }
