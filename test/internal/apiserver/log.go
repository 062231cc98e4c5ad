package apiserver

import (
	"io"
	"log/slog"

	"k8s.io/klog/v2"
)

// LogTo sends the logs of the Kubernetes libraries to w. They have one verbose logger for the whole
// process, which writes to stderr by default. Call it before the first Start.
func LogTo(w io.Writer) {
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(w, nil)))
}

// messages is the logger that the API server's test support wants. Its messages go where those of
// the libraries go.
type messages struct{}

func (messages) Logf(format string, args ...any)   { klog.Infof(format, args...) }
func (messages) Errorf(format string, args ...any) { klog.Errorf(format, args...) }

// Fatalf is not called when a server is started without the OrDie functions.
func (messages) Fatalf(format string, args ...any) { klog.Errorf(format, args...) }
