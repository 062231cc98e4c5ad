package load

import (
	"testing"
	"time"

	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

func TestTryTime(t *testing.T) {
	limits := module.Limits{CompileTime: 2 * time.Minute}
	for _, test := range []struct {
		name          string
		size, overran int
		most, want    time.Duration
	}{
		{"small", 206, 0, time.Minute, tryBase + 206*tryPerMiB>>20},
		{"2 MiB", 2 << 20, 0, time.Minute, 21 * time.Second},
		{"no longer than is waited for", 2 << 20, 0, 20 * time.Second, 20 * time.Second},
		{"second try", 0, 1, time.Minute, 20 * time.Second},
		{"third try", 0, 2, time.Minute, 80 * time.Second},
		{"bounded by --compile-timeout alone", 0, 3, time.Minute, 0},
	} {
		if got := TryTime(test.size, test.overran, test.most, limits); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
