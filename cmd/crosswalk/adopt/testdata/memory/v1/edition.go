//go:build !enterprise

package v1

var edition = "community"
