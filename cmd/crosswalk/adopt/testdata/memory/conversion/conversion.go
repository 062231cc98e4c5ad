// Package conversion has the interface of hubs.
package conversion

type Hub interface{ Hub() }
