package module

import (
	"bytes"
	"context"
	"log/slog"

	"github.com/tetratelabs/wazero/api"

	"github.com/crosswalk-gateway/crosswalk/runtime/wasi"
)

// The host's side of a guest's calls: the clock and random source, input and output, and the log.
// Each call is charged before work that depends on the guest's numbers; see [wasi.Host].

// The price of log lines, on top of the call's. A line is checked for UTF-8, stripped of control
// characters, formatted and written: 1 to 3 µs; a dropped line costs less. A byte takes some
// nanoseconds. LogBytes bounds both.
const (
	logLineFuel = 2000
	logByteFuel = 4
)

// FuelUsed implements wasi.Host.
func (c *call) FuelUsed() int64 { return c.used() }

// ReadStdin reads a command's input. A reactor's is empty.
func (c *call) ReadStdin(p []byte) int {
	n := copy(p, c.stdin)
	c.stdin = c.stdin[n:]
	return n
}

// WriteStdio stores a command's answer; all other output becomes log lines.
func (c *call) WriteStdio(guest api.Module, fd uint32, p []byte) {
	const stdout = 1
	if fd == stdout && c.output != nil {
		c.output.write(p)
		return
	}
	w := &c.stderr
	if fd == stdout {
		w = &c.stdout
	}
	kept := w.keeps(p)
	c.Charge(guest, int64(len(kept))*logByteFuel+int64(bytes.Count(kept, []byte{'\n'}))*logLineFuel)
	w.write(p)
}

// logImport is crosswalk_v1.log(level, ptr, len). It ignores a pointer outside memory: a log line
// is not worth a fault.
func logImport(ctx context.Context, guest api.Module, stack []uint64) {
	c := callOf(ctx)
	c.Charge(guest, wasi.CallFuel)
	level, ptr, n := api.DecodeU32(stack[0]), api.DecodeU32(stack[1]), api.DecodeU32(stack[2])
	message, ok := guest.Memory().Read(ptr, n)
	if !ok {
		return
	}
	if len(message) > c.logLeft {
		c.log.dropped(len(message) - c.logLeft)
		message = message[:c.logLeft]
	}
	if len(message) == 0 {
		return
	}
	c.Charge(guest, int64(len(message))*logByteFuel+logLineFuel)
	c.logLeft -= len(message)
	if level == 3 {
		c.noteError(message)
	}
	levels := [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	c.log.line(levels[min(level, 3)], message)
}
