package command

import "fmt"

// Count is a number of things in words; the plural of noun must end with s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
