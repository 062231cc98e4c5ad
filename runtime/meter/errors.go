package meter

import "fmt"

// Error says why a module is refused.
type Error struct {
	Section string // where: the name of a section, "function N" within the code section, or "module"
	Offset  int    // in bytes from the beginning of the module
	Msg     string // what is wrong, with the limit if one was passed
}

func (e *Error) Error() string {
	return fmt.Sprintf("not a module that can be run: %s, byte %d: %s", e.Section, e.Offset, e.Msg)
}
