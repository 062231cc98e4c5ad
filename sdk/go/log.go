package crosswalk

// Level is the severity of a log line.
type Level uint32

// The levels of the gateway's log.
const (
	LevelDebug Level = iota
	LevelInfo
	LevelWarn
	LevelError
)

// String returns the level in capitals, as in log lines.
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

// Logf writes a line to the gateway's log, with the verbs of [Errorf]. The gateway limits the
// amount that a module may log. The kubectl user does not see the log: put information for them in
// an error.
func Logf(level Level, format string, args ...any) {
	hostLog(level, appendf(nil, format, args))
}
