//go:build !unix

package write

import "time"

// cpuTime returns the time of day, because this system has no CPU time.
func cpuTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
