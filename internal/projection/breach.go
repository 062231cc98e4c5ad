package projection

import "fmt"

// Breach is the rule of the conversion contract that an answer breaks, in words that follow "its
// answer": "has kind X; a conversion may not change the kind". The zero value means that the answer
// keeps every rule.
type Breach string

// Breachf formats a Breach.
func Breachf(format string, args ...any) Breach { return Breach(fmt.Sprintf(format, args...)) }
