// Command demo is run by "make demo": it shows the gateway with a real API server. "make pictures"
// lets it write what it shows to pictures for the documentation.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/crosswalk-gateway/crosswalk/test/internal/apiserver"
	"github.com/crosswalk-gateway/crosswalk/test/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that the second signal ends the process at once
	apiserver.LogTo(io.Discard)
	pictures := flag.String("pictures", "", "`directory` for demo.svg and status.png (needs chromium)")
	flag.Parse()
	if err := run(ctx, *pictures); err != nil {
		fmt.Fprintln(os.Stderr, "make demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pictures string) error {
	if pictures == "" {
		return demo.Run(ctx, demo.Config{Out: os.Stdout})
	}
	var r demo.Recording
	err := demo.Run(ctx, demo.Config{Out: io.MultiWriter(os.Stdout, &r), StatusPage: filepath.Join(pictures, "status.png")})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(pictures, "demo.svg"), r.SVG(), 0o644)
}
