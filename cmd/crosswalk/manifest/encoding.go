package manifest

// The marks and the line ends that the parser of YAML does not count as this package does.
var (
	mark        = []byte("\ufeff")
	windowsLine = []byte("\r\n")
)
