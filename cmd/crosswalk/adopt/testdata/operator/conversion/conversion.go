// Package conversion has the interfaces of controller-runtime's package of this name.
package conversion

// Hub is a version that others convert to.
type Hub interface{ Hub() }
