// Command demo is run by "make demo": it shows the gateway with a real API server.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that the second signal ends the process at once
	apiserver.LogTo(io.Discard)
	if err := demo.Run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "make demo:", err)
		os.Exit(1)
	}
}
