package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestWrongCommandLines(t *testing.T) {
	const files = "--modules /m --tls-cert-file c --tls-key-file k "
	for _, test := range []struct{ args, want string }{
		{"", "--modules is required: the directory of modules to serve"},
		{"--modules /m", "--tls-cert-file and --tls-key-file are required (or use --dev)"},
		{"--modules /m --tls-cert-file c", "--tls-key-file is required with --tls-cert-file"},
		{"--modules /m --tls-key-file k", "--tls-cert-file is required with --tls-key-file"},
		{files + "--dev", "--dev and --tls-cert-file cannot be combined: --dev generates its own certificate"},
		{"--modules /m --dev --client-ca-file f", "--dev and --client-ca-file cannot be combined: --dev generates its own certificate"},
		{files + "--dev-host h", "--dev-host requires --dev"},
		{files + "--dev-ca-file f", "--dev-ca-file requires --dev"},
		{files + "--require CronTab_v1_v2", `--require CronTab_v1_v2: "CronTab" is not <Kind>.<group>; a module is named like CronTab.stable.example.com_v1_v2.wasm`},
		{files + "--require payments/CronTab.example.com_v1_v2", "--require payments/CronTab.example.com_v1_v2 must begin with an owner of --modules, or with the kind"},
		{files + "--require CronTab.example.com_v1", "--require CronTab.example.com_v1: names 1 version(s), and a conversion needs two; a module is named like CronTab.stable.example.com_v1_v2.wasm"},
		{files + "--listen=", "--listen must not be empty: use an address such as :9443"},
		{files + "--listen :8080", "--listen and --admin-listen are both :8080: they must use different ports"},
		{"--modules /m --dev --dev-host localhost:9443", `--dev-host "localhost:9443" must be a host name or an IP address, without a port`},
		{files + "--schema-check on", `--schema-check "on" must be one of off, report, enforce`},
		{files + "--log-level loud", `--log-level "loud" must be one of debug, info, warn, error`},
		{files + "--log-format xml", `--log-format "xml" must be one of text, json`},
		{files + "--fuel-per-byte 0", "--fuel-per-byte 0 must be at least 1"},
		{files + "--vet-memory-bytes 1Mi", "--vet-memory-bytes 1Mi must be at least 32Mi"},
		{files + "--max-definition-bytes 0", "--max-definition-bytes 0 must be at least 32Mi"},
		{files + "--max-connections 0", "--max-connections 0 must be at least 1"},
		{files + "--max-instances -1", "--max-instances -1 must be at least 0"},
		{files + "--max-body-bytes 128Mi", "--max-body-bytes-in-flight 256Mi must be at least 512Mi"},
		{files + "--max-object-bytes 2Gi", "--max-object-bytes 2Gi must be at most 1Gi"},
		{files + "--max-body-bytes 1024Gi", "--max-body-bytes 1024Gi must be at most 512Gi"},
		{files + "--max-body-bytes 4611686018427387904", "--max-body-bytes 4294967296Gi must be at most 512Gi"},
		{files + "--max-body-bytes-in-flight 9223372036854775807", "--max-body-bytes-in-flight 9223372036854775807 must be at most 4096Gi"},
		{files + "--max-module-bytes 5Gi", "--max-module-bytes 5Gi must be at most 4Gi"},
		{files + "--fuel-per-byte 9223372036854775807", "--fuel-per-byte 9223372036854775807 must be at most 1000000000"},
		{files + "--max-instances 99999999999", "--max-instances 99999999999 must be at most 2147483647"},
		{files + "--module-memory-bytes 100000", "--module-memory-bytes 100000 must be a multiple of 64Ki, the page size of WebAssembly"},
		{files + "--module-memory-bytes 96Ki", "--module-memory-bytes 96Ki must be a multiple of 64Ki, the page size of WebAssembly"},
		{files + "--module-memory-bytes 4Gi", "--module-memory-bytes 4Gi must be at most 4194240Ki"},
		{files + "--module-memory-bytes 5Gi", "--module-memory-bytes 5Gi must be at most 4194240Ki"},
		{files + "--drain-delay -1s", "--drain-delay -1s must be at least 0s"},
		{files + "--review-timeout 0s", "--review-timeout 0s must be at least 1ms"},
		{
			files + "--max-body-bytes lots",
			`--max-body-bytes "lots" is not a size: use a number of bytes, or a number with Ki, Mi or Gi such as 64Mi`,
		},
		{files + "--call-timeout 5", `--call-timeout "5" is not a duration: use a number with a unit, such as 500ms, 25s or 5m`},
		{files + "--max-instances 1e3", `--max-instances "1e3" is not an integer`},
		{files + "--fuel-per-byte many", `--fuel-per-byte "many" is not an integer`},
		{files + "--vet=no", `--vet "no" must be true or false`},
		{files + "--modlues x", "unknown flag: --modlues"},
		{files + "extra", `unexpected argument "extra": the gateway takes only flags`},
	} {
		t.Run(test.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(test.args), fixedTimes(), &stdout, &stderr)
			want := "gateway: " + test.want + " (gateway --help lists all flags)\n"
			if code != exitUsage || stderr.String() != want || stdout.Len() > 0 {
				t.Errorf("got  %d %s%s\nwant %d %s", code, stdout.String(), stderr.String(), exitUsage, want)
			}
		})
	}
}

// TestBoundsAreAllowed: the least and the largest value of a flag are allowed.
func TestBoundsAreAllowed(t *testing.T) {
	for _, args := range []string{
		"--max-module-bytes 1", "--max-module-bytes 4Gi", "--module-memory-bytes 64Ki", "--module-memory-bytes 4194240Ki", "--max-loaded-bytes 1", "--max-loaded-bytes 1024Gi",
		"--vet-memory-bytes 32Mi", "--max-definition-bytes 32Mi", "--max-body-bytes 64Mi --max-body-bytes-in-flight 256Mi", "--max-body-bytes-in-flight 4096Gi",
		"--max-body-bytes 512Gi --max-body-bytes-in-flight 2048Gi", "--max-reply-bytes 1", "--cache-bytes 0", "--max-object-bytes 1", "--max-object-bytes 1Gi",
		"--fuel-per-object 1", "--fuel-per-byte 1000000000", "--fuel-to-start 1000000000000000", "--max-connections 1", "--max-connections 2147483647", "--max-instances 0",
		"--call-timeout 1ms", "--probation 0s", "--review-timeout 1ms", "--drain-delay 0s", "--shutdown-timeout 1ms",
	} {
		if _, err := parseFlags(strings.Fields("--modules /m --dev "+args), fixedTimes()); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestFailedListenersAreClosed: if the second port cannot be opened, the first is free again.
func TestFailedListenersAreClosed(t *testing.T) {
	free, err := listen("--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	o := &options{listen: address, adminListen: "127.0.0.1:no-port"}
	if _, _, err := o.listeners(); err == nil {
		t.Fatal("a port without a number was opened")
	}
	again, err := listen("--listen", address)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestOpenFilesLowerConnections: with few files, eviction begins before accepting fails, and a gateway
// without room for a connection does not start.
func TestOpenFilesLowerConnections(t *testing.T) {
	for _, test := range []struct {
		files uint64
		most  int
		says  string
	}{
		{1 << 20, 1000, ""},
		{1048, 1000, ""},
		{1047, 999, "the limit of open files lowers --max-connections"},
		{64, 16, "the limit of open files lowers --max-connections"},
		{48, 1000, "the limit of open files is 48 (ulimit -n): must be at least 48 more than --max-connections"},
	} {
		var log strings.Builder
		o := &options{maxConnections: 1000}
		err := o.fitFiles(test.files, slog.New(slog.NewTextHandler(&log, nil)))
		says := log.String()
		if err != nil {
			says = err.Error()
		}
		if o.maxConnections != test.most || !strings.Contains(says, test.says) || (says == "") != (test.says == "") {
			t.Errorf("%d files: %d connections, %q", test.files, o.maxConnections, says)
		}
	}
}

// TestFailuresAtStart: a valid command line that cannot work here has another exit code, and the
// error names the flag.
func TestFailuresAtStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := listen("--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	everybodys := t.TempDir()
	if err := os.Chmod(everybodys, 0o777); err != nil {
		t.Fatal(err)
	}
	free := " --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0"
	for _, test := range []struct{ name, args, want string }{
		{"no directory", "--dev --modules /nowhere", "--modules /nowhere: the directory does not exist: create or mount it; modules can be added later"},
		{"a file for a directory", "--dev --modules " + file, "--modules " + file + ": not a directory: use the directory that contains the .wasm files"},
		{
			"no certificate", "--modules . --tls-cert-file /nowhere/c --tls-key-file /nowhere/k" + free,
			"--tls-cert-file, --tls-key-file: reading the certificate: open /nowhere/c: no such file or directory",
		},
		{
			"no CAs of clients", "--modules . --client-ca-file /nowhere/ca --tls-cert-file " + file + " --tls-key-file " + file + free,
			"--tls-cert-file, --tls-key-file, --client-ca-file: reading the CAs of clients: open /nowhere/ca: no such file or directory",
		},
		{
			"no PEM", "--modules . --tls-cert-file " + file + " --tls-key-file " + file + free,
			"--tls-cert-file, --tls-key-file: certificate " + file + " and key " + file + ": tls: failed to find any PEM data in certificate input",
		},
		{"CA nowhere to write", "--modules . --dev --dev-ca-file /nowhere/ca" + free, "--dev-ca-file: open /nowhere/ca: no such file or directory"},
		{
			"port taken", "--modules . --dev --listen " + taken.Addr().String(),
			"--listen " + taken.Addr().String() + ": the address is in use: choose another port",
		},
		{
			"admin port taken", "--modules . --dev --listen 127.0.0.1:0 --admin-listen " + taken.Addr().String(),
			"--admin-listen " + taken.Addr().String() + ": the address is in use: choose another port",
		},
		{
			"another machine's address", "--modules . --dev --listen 192.0.2.1:9443",
			"--listen 192.0.2.1:9443: this machine has no such address: omit the host to listen on all addresses",
		},
		{"no key", "--modules . --dev --verify-key /nowhere/key.pub" + free, "--verify-key: open /nowhere/key.pub: no such file or directory"},
		{
			"an empty key", "--modules . --dev --verify-key " + file + free,
			"--verify-key " + file + ": it has no PEM block PUBLIC KEY: make one with openssl pkey -in KEY.pem -pubout, or use cosign.pub",
		},
		{
			"everybody's compile cache", "--modules . --dev --compile-cache " + everybodys + free,
			"--compile-cache " + everybodys + ": others may write it (mode 0777): code from it would run in the gateway. " +
				"Name a directory that does not exist, such as " + everybodys + "/crosswalk, and the gateway makes one that is its own",
		},
		{"no port", "--modules . --dev --listen localhost", "--listen localhost: listen tcp: address localhost: missing port in address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(test.args+" --log-level error"), fixedTimes(), &stdout, &stderr)
			_, got, _ := strings.Cut(stderr.String(), "err=")
			got = strings.Trim(strings.TrimSpace(got), `"`)
			if code != exitFailure || got != test.want {
				t.Errorf("got  %d %s\nwant %d %s", code, got, exitFailure, test.want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, fixedTimes(), &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
		t.Fatalf("%d %s", code, stderr.String())
	}
	text := stdout.String()
	for _, line := range strings.Split(text, "\n") {
		if len(line) > helpWidth {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	// Every flag that a message or a comment names must exist.
	flags := map[string]bool{"help": true, "cacert": true /* curl's */, "watch": true /* crosswalk pull's */}
	for _, g := range new(options).groups() {
		g.flags.VisitAll(func(f *pflag.Flag) {
			flags[f.Name] = true
			if !regexp.MustCompile("--" + f.Name + `[ \[]`).MatchString(text) {
				t.Errorf("--%s is not in the help", f.Name)
			}
		})
	}
	mention := regexp.MustCompile(`[ ("]--([a-z][a-z-]+[a-z])\b`)
	for _, dir := range []string{".", "schemas", "status", "../../host", "../../host/serve", "../../runtime", "../../runtime/artifact", "../../runtime/load", "../../runtime/module"} {
		sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatalf("no sources in %s: %v", dir, err)
		}
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			content, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mention.FindAllStringSubmatch(string(content), -1) {
				if !flags[m[1]] {
					t.Errorf("%s names --%s, which does not exist", source, m[1])
				}
			}
		}
	}
}

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"--version"}, fixedTimes(), &stdout, &stderr)
	if want := regexp.MustCompile(`^crosswalk gateway \S+, revision \S+, go1\.\S+, ABI 1\n$`); code != exitOK || !want.MatchString(stdout.String()) {
		t.Errorf("%d %q", code, stdout.String())
	}
}

// TestDefaults: a flag's default and a zero field of a package's configuration mean the same.
func TestDefaults(t *testing.T) {
	o, err := parseFlags([]string{"--modules", "/m", "--dev"}, fixedTimes())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.server().WriteTimeout.String(), "40s"; got != want {
		t.Errorf("write timeout is %s, want %s", got, want)
	}
	if got := o.registry(nil, nil, nil, nil, newThreads()).Limits.MemoryPages; got != 1024 {
		t.Errorf("%d pages of memory, want 1024", got)
	}
	o, err = parseFlags(strings.Fields("--modules /m --dev --drain-delay 0s --review-timeout 1m"), fixedTimes())
	if err != nil {
		t.Fatal(err)
	}
	s := o.server()
	if s.DrainDelay >= 0 {
		t.Errorf("the drain delay is %v, want none", s.DrainDelay)
	}
	if s.WriteTimeout <= s.ReviewTimeout {
		t.Errorf("answers must be written within %v, reviews may take %v", s.WriteTimeout, s.ReviewTimeout)
	}
}

func TestHostNames(t *testing.T) {
	for name, want := range map[string]bool{
		"localhost": true, "gateway.Example.com": true, "a-1.b": true, strings.Repeat("a", 63): true,
		"": false, "a.": false, ".a": false, "a..b": false, "-a": false, "a-": false, "a b": false, "a:1": false, "ä": false, "*.a": false,
		strings.Repeat("a", 64): false, strings.Repeat("a.", 127): false,
	} {
		if isHostName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestTimesInTheLog: durations in the log are seconds in JSON, and have a unit in text.
func TestTimesInTheLog(t *testing.T) {
	for format, want := range map[string]string{"json": `"took":0.055}`, "text": "took=55ms\n"} {
		var out bytes.Buffer
		newLogger(&out, &options{logFormat: format, logLevel: "info"}).Info("loaded", "took", 55*time.Millisecond)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", format, out.String())
		}
	}
}

// TestLogForPerson: with --dev, lines on a terminal are short, and those in a file are whole.
func TestLogForPerson(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: forPerson}))
	logger.Info("module loaded", "audit", "module", "sha256", strings.Repeat("a", 64), "edges", "v1⇄v2")
	if !regexp.MustCompile(`^time=\d\d:\d\d:\d\d level=INFO msg="module loaded" sha256=a{12} edges=v1⇄v2\n$`).MatchString(out.String()) {
		t.Errorf("%s", out.String())
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	newLogger(file, &options{logFormat: "text", logLevel: "info", dev: true}).Info("module loaded", "audit", "module")
	if text, err := os.ReadFile(file.Name()); err != nil || !strings.Contains(string(text), "audit=module") {
		t.Errorf("%s, %v", text, err)
	}
}
