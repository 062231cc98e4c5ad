package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

// options is the command line.
type options struct {
	modules                    string
	maxModule, moduleMemory    size
	callTimeout                time.Duration
	fuelPerObject, fuelPerByte int64
	maxInstances               int
	probation                  time.Duration
	vet                        bool
	schemaCheck                string
	require                    []string
	required                   []runtime.Edge // by require
	verifyKey                  string
	compileCacheDir            string
	shadowModules              string
	shadowShare                float64

	listen, adminListen             string
	certFile, keyFile, clientCAFile string
	dev                             bool
	devHosts                        []string
	devCAFile                       string

	maxBody, maxBodiesInFlight, maxObject, maxReply size
	cache                                           size
	reviewTimeout                                   time.Duration

	drainDelay, shutdownTimeout time.Duration

	logLevel, logFormat string
	version             bool

	times times // not flags
}

// group is a heading of --help and the flags under it.
type group struct {
	title string
	flags *pflag.FlagSet
}

// groups declares every flag, with its default, in the order of --help.
func (o *options) groups() []group {
	var all []group
	add := func(title string) *pflag.FlagSet {
		f := pflag.NewFlagSet(title, pflag.ContinueOnError)
		f.SortFlags = false
		all = append(all, group{title, f})
		return f
	}
	bytes := func(f *pflag.FlagSet, target *size, name string, value size, usage string) {
		*target = value
		f.Var(target, name, usage)
	}

	f := add("Modules")
	f.StringVar(&o.modules, "modules", "", "`directory` of the modules to serve, followed while it changes; required")
	bytes(f, &o.maxModule, "max-module-bytes", 32<<20, "largest module, inflated; kubebuilder-style Go modules have 13 MB and more")
	bytes(f, &o.moduleMemory, "module-memory-bytes", 64<<20, "most memory of one instance of a module; a multiple of 64Ki")
	f.DurationVar(&o.callTimeout, "call-timeout", 2*time.Second, "longest call of a module")
	f.Int64Var(&o.fuelPerObject, "fuel-per-object", 50_000_000, "instructions a module may spend on an object, beside --fuel-per-byte")
	f.Int64Var(&o.fuelPerByte, "fuel-per-byte", 5_000, "instructions a module may spend on each byte of an object")
	f.IntVar(&o.maxInstances, "max-instances", 0, "most instances of all modules, idle ones included; 0 = 8 for each CPU, 16 at least")
	f.BoolVar(&o.vet, "vet", true, "load each new module in a process of its own first, to see what it does to the compiler")
	f.StringVar(&o.schemaCheck, "schema-check", schemaReport, "what to do about converted objects that break the schema of a <plural>.<group>.crd.yaml in --modules: off, report or enforce")
	f.StringVar(&o.verifyKey, "verify-key", "", "`file` with public keys in PEM, Ed25519 or ECDSA P-256; one must have signed SHA256SUMS in --modules, which must list all that is used")
	f.DurationVar(&o.probation, "probation", 5*time.Minute, "how long after a swap, and after each batch that the new version fails then, the version before stays loaded, to convert what the new one fails and to take over if that is three batches; 0 = not")
	f.StringVar(&o.shadowModules, "shadow-modules", "", "`directory` of candidates: modules that answer nobody and are tried on what those in --modules convert")
	f.Float64Var(&o.shadowShare, "shadow-share", 0.01, "share of conversions, 0 to 1, that candidates in --shadow-modules repeat")
	f.StringArrayVar(&o.require, "require", nil, "`conversion` that must be there before the gateway is ready, named like its module: CronTab.stable.example.com_v1_v2; may be repeated")
	f.StringVar(&o.compileCacheDir, "compile-cache", "", "`directory` to keep compiled modules in, for the next start; made if there is none, and refused if others may write it")

	f = add("Listening")
	f.StringVar(&o.listen, "listen", ":9443", "`address` for conversion reviews, over TLS")
	f.StringVar(&o.adminListen, "admin-listen", ":8080", "`address` for the status page, /metrics, /readyz, /healthz, /modules and /shadow, over plain HTTP; empty = none")

	f = add("Certificate")
	f.StringVar(&o.certFile, "tls-cert-file", "", "`file` with the certificate and its chain, in PEM; followed while it changes")
	f.StringVar(&o.keyFile, "tls-key-file", "", "`file` with its key")
	f.StringVar(&o.clientCAFile, "client-ca-file", "", "`file` with the CAs of clients, which then must show a certificate; API servers have none to show to conversion webhooks")
	f.BoolVar(&o.dev, "dev", false, "make a certificate for localhost and print its caBundle, instead of the files above")
	f.StringSliceVar(&o.devHosts, "dev-host", nil, "further `name` or address for that certificate; may be repeated")
	f.StringVar(&o.devCAFile, "dev-ca-file", "", "`file` to write that certificate's CA to, as for curl --cacert")

	f = add("Reviews")
	bytes(f, &o.maxBody, "max-body-bytes", 64<<20, "largest request")
	bytes(f, &o.maxBodiesInFlight, "max-body-bytes-in-flight", 256<<20, "most bytes of the bodies of all requests together, and of answers that clients have not read; at least four times --max-body-bytes")
	bytes(f, &o.maxReply, "max-reply-bytes", 128<<20, "largest answer")
	bytes(f, &o.cache, "cache-bytes", 64<<20, "most memory for answers of modules, kept for objects that are converted again unchanged; 0 = none")
	bytes(f, &o.maxObject, "max-object-bytes", 4<<20, "largest object, sent or converted; etcd takes 1.5Mi")
	f.DurationVar(&o.reviewTimeout, "review-timeout", 25*time.Second, "longest review; API servers give up after 30s")

	f = add("Start and end")
	f.DurationVar(&o.drainDelay, "drain-delay", 10*time.Second, "how long to go on serving after SIGTERM, until every API server knows that this endpoint is gone")
	f.DurationVar(&o.shutdownTimeout, "shutdown-timeout", 25*time.Second, "how long reviews under way may then take to finish")

	f = add("Logs and others")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&o.logFormat, "log-format", "text", "text or json")
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	return all
}

// parseFlags reads and checks a command line. It returns pflag.ErrHelp if that asks for help.
func parseFlags(args []string, t times) (*options, error) {
	o := &options{times: t}
	all := pflag.NewFlagSet("gateway", pflag.ContinueOnError)
	all.Usage = func() {} // the caller prints it
	for _, g := range o.groups() {
		all.AddFlagSet(g.flags)
	}
	if err := all.Parse(args); err != nil {
		return nil, inWords(err)
	}
	if all.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: everything is said with flags", all.Arg(0))
	}
	if o.version {
		return o, nil
	}
	return o, o.check(all)
}

// inWords says of a flag's bad value what a good one is, where pflag quotes the standard library.
func inWords(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	name, value := invalid.GetFlag().Name, invalid.GetValue()
	switch invalid.GetFlag().Value.Type() {
	case "duration":
		return fmt.Errorf("--%s %q is no time: write a number with its unit, such as 500ms, 25s or 5m", name, value)
	case "int", "int64":
		return fmt.Errorf("--%s %q is no whole number", name, value)
	case "float64":
		return fmt.Errorf("--%s %q is no number", name, value)
	case "bool":
		return fmt.Errorf("--%s %q is neither true nor false", name, value)
	}
	return fmt.Errorf("--%s %w", name, errors.Unwrap(invalid))
}
