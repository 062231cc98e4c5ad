package meter

import "fmt"

// Error is the reason why a module is rejected.
type Error struct {
	Section string // where: the name of a section, "function N" within the code section, or "module"
	Offset  int    // in bytes from the beginning of the module
	Msg     string // the problem, with the limit if one was exceeded
}

func (e *Error) Error() string {
	return fmt.Sprintf("not a module that can be run: %s, byte %d: %s", e.Section, e.Offset, e.Msg)
}
