package crosswalk

// Level is how much a log line matters.
type Level uint32

// The levels that the gateway's log has.
const (
	LevelDebug Level = iota
	LevelInfo
	LevelWarn
	LevelError
)

// String returns the level in capitals, as log lines have it.
func (l Level) String() string {
	switch l {
	case LevelDebug:
		return "DEBUG"
	case LevelInfo:
		return "INFO"
	case LevelWarn:
		return "WARN"
	}
	return "ERROR"
}

// Logf writes a line to the gateway's log, with the verbs of [Errorf]. The gateway caps how much a module may log, and the
// person who asked for the conversion does not see it: what they should know belongs in an error.
func Logf(level Level, format string, args ...any) {
	hostLog(level, appendf(nil, format, args))
}
