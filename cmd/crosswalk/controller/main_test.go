package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestFlags: each flag sets its option, and without flags the options fit the chart.
func TestFlags(t *testing.T) {
	t.Setenv("POD_NAMESPACE", "pod")
	parse := func(args ...string) (o options) {
		t.Helper()
		flags := pflag.NewFlagSet("controller", pflag.ContinueOnError)
		o.flags(flags)
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		return o
	}
	if got, want := parse(), (options{namespace: "pod", service: "crosswalk", port: 443, secret: "crosswalk-tls",
		definitions: "crosswalk-definitions", lease: "crosswalk-controller", health: ":8081", metrics: ":8080"}); got != want {
		t.Errorf("without flags:\n%+v, want\n%+v", got, want)
	}
	got := parse("--namespace=n", "--service=s", "--port=1", "--url=u", "--ca-file=f", "--tls-secret=t", "--keep-certificate",
		"--definitions=d", "--lease=l", "--health-listen=h", "--metrics-listen=m", "--kubeconfig=k", "--context=c", "--version")
	if want := (options{namespace: "n", service: "s", port: 1, url: "u", caFile: "f", secret: "t", keepCertificate: true,
		definitions: "d", lease: "l", health: "h", metrics: "m", kubeconfig: "k", context: "c", version: true}); got != want {
		t.Errorf("with all flags:\n%+v, want\n%+v", got, want)
	}
}

// TestWrongFlags: the program ends with 2 and the remedy before it talks to a cluster, and with 0
// after --help.
func TestWrongFlags(t *testing.T) {
	if os.Getenv("CROSSWALK_TEST_AS_CONTROLLER") != "" {
		os.Args = append([]string{"controller"}, strings.Fields(os.Getenv("CROSSWALK_TEST_AS_CONTROLLER"))...)
		main()
		os.Exit(0)
	}
	for _, tc := range []struct {
		args string
		code int
		text string
	}{
		{"--help", 0, "Usage: controller [flags]\n\n      --namespace string "},
		{"--version", 0, "crosswalk controller (devel), revision "}, // needs no namespace
		{"--namespace n more", 2, "controller: unexpected argument \"more\" (--help lists the flags)\n"},
		{"--url https://x", 2, "controller: --namespace must be set, or $POD_NAMESPACE (--help lists the flags)\n"},
		{"--namespace n --keep-certificate --url https://x", 2, "controller: --keep-certificate is for a Service in the cluster: leave out --url and --ca-file (--help lists the flags)\n"},
		{"--namespace n --keep-certificate --ca-file x", 2, "controller: --keep-certificate is for a Service in the cluster: leave out --url and --ca-file (--help lists the flags)\n"},
		{"--namespace n --kubeconfig /nowhere", 1, "exiting with error"},
	} {
		run := exec.Command(os.Args[0], "-test.run=^TestWrongFlags$")
		run.Env = append(os.Environ(), "POD_NAMESPACE=", "CROSSWALK_TEST_AS_CONTROLLER="+tc.args)
		out, _ := run.CombinedOutput()
		if code := run.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.text) {
			t.Errorf("%s: ended with %d: %s", tc.args, code, out)
		}
	}
}
