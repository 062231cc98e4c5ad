package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/gateway/schemas"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// options is the command line.
type options struct {
	modules                    []string
	groupOwners                []string
	owners                     []runtime.Owner // by modules, groupOwners and require
	maxModule, moduleMemory    size
	callTimeout                time.Duration
	fuelPerObject, fuelPerByte int64
	fuelToStart                int64
	maxInstances               int
	maxLoaded, vetMemory       size
	maxDefinitions             size
	probation                  time.Duration
	vet                        bool
	schemaCheck                string
	require                    []string
	required                   []artifact.Edge // by require
	verifyKey                  string
	compileCacheDir            string

	listen, adminListen             string
	certFile, keyFile, clientCAFile string
	dev                             bool
	devHosts                        []string
	devCAFile                       string

	maxBody, maxBodiesInFlight, maxObject, maxReply size
	cache                                           size
	maxConnections                                  int
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

	f, d := add("Modules"), module.Limits{}.WithDefaults()
	f.StringArrayVar(&o.modules, "modules", nil, "`directory` of modules to serve; the gateway follows its changes; required; for several owners with equal shares, repeat as OWNER=DIRECTORY")
	f.StringArrayVar(&o.groupOwners, "groups", nil, "API `group` whose kinds only the modules of one of several owners convert, as OWNER=GROUP; kinds that neither this nor --require reserves are not converted; repeatable")
	bytes(f, &o.maxModule, "max-module-bytes", size(d.ModuleBytes), "maximum size of a module, uncompressed; Go modules with kubebuilder types have 13 MB and more")
	bytes(f, &o.moduleMemory, "module-memory-bytes", size(d.MemoryPages)<<16, "maximum memory of one module instance; a multiple of 64Ki")
	f.DurationVar(&o.callTimeout, "call-timeout", d.CallTime, "maximum duration of one call of a module")
	f.Int64Var(&o.fuelPerObject, "fuel-per-object", d.FuelPerObject, "instructions that a module may execute per object, in addition to --fuel-per-byte")
	f.Int64Var(&o.fuelPerByte, "fuel-per-byte", d.FuelPerByte, "instructions that a module may execute per byte of an object")
	f.Int64Var(&o.fuelToStart, "fuel-to-start", d.FuelToStart, "instructions that starting a command module may execute, in addition to those of its objects")
	f.IntVar(&o.maxInstances, "max-instances", 0, "maximum number of instances of all modules, including idle ones; 0 = 8 per CPU, at least 16")
	bytes(f, &o.maxLoaded, "max-loaded-bytes", size(d.LoadedBytes), "maximum memory of all loaded modules together: compiled code and initial memory, with previous versions on probation; a module beyond it is refused")
	f.BoolVar(&o.vet, "vet", true, "compile and test each new module in a resource-limited child process first")
	bytes(f, &o.vetMemory, "vet-memory-bytes", size(d.VetMemory), "maximum memory of all processes that compile and test new modules, together; a module that needs more is refused")
	f.StringVar(&o.schemaCheck, "schema-check", schemaReport, "check converted objects against the schemas of <plural>.<group>.crd.yaml files in --modules: off, report or enforce")
	bytes(f, &o.maxDefinitions, "max-definition-bytes", schemas.MaxMemory, "maximum memory of all definitions of --schema-check together, and of the process that reads one, which has at most 160Mi")
	f.StringVar(&o.verifyKey, "verify-key", "", "`file` of public keys in PEM, Ed25519 or ECDSA P-256; the gateway uses only files that SHA256SUMS in --modules lists, with a signature by one of the keys")
	f.DurationVar(&o.probation, "probation", 5*time.Minute, "keep the previous version loaded this long after a swap and fall back to it for failed batches; three failed batches roll back (each restarts the period); 0 disables")
	f.StringArrayVar(&o.require, "require", nil, "`conversion` required for readiness, named like its module: CronTab.stable.example.com_v1_v2; OWNER/CronTab… also reserves the kind; repeatable")
	f.StringVar(&o.compileCacheDir, "compile-cache", "", "`directory` that stores compiled modules for the next start; created if missing, rejected if other users can write to it")

	f = add("Listening")
	f.StringVar(&o.listen, "listen", ":9443", "listen `address` for conversion reviews, over TLS")
	f.StringVar(&o.adminListen, "admin-listen", ":8080", "listen `address` for the status page, /metrics, /readyz, /healthz and /modules, over plain HTTP; empty disables")

	f = add("Certificate")
	f.StringVar(&o.certFile, "tls-cert-file", "", "`file` of the certificate and its chain, in PEM; the gateway follows its changes")
	f.StringVar(&o.keyFile, "tls-key-file", "", "`file` of the certificate's private key, in PEM")
	f.StringVar(&o.clientCAFile, "client-ca-file", "", "`file` of CA certificates, in PEM; clients must present a certificate signed by one of them; API servers present none to conversion webhooks")
	f.BoolVar(&o.dev, "dev", false, "generate a certificate for localhost and print its caBundle, instead of reading the files above")
	f.StringSliceVar(&o.devHosts, "dev-host", nil, "additional host `name` or IP address in the generated certificate; repeatable")
	f.StringVar(&o.devCAFile, "dev-ca-file", "", "write the CA of the generated certificate to this `file`, for curl --cacert")

	f = add("Reviews")
	bytes(f, &o.maxBody, "max-body-bytes", 64<<20, "maximum size of a request body")
	bytes(f, &o.maxBodiesInFlight, "max-body-bytes-in-flight", 256<<20, "maximum total size of request bodies in memory, and likewise of responses that clients have not read; at least four times --max-body-bytes")
	bytes(f, &o.maxReply, "max-reply-bytes", size(d.ReplyBytes), "maximum size of a response")
	bytes(f, &o.cache, "cache-bytes", 64<<20, "maximum size of the cache of conversion results; 0 disables")
	bytes(f, &o.maxObject, "max-object-bytes", size(d.ObjectReplyBytes), "maximum size of an object, before and after conversion; etcd's limit is 1.5Mi")
	f.IntVar(&o.maxConnections, "max-connections", 1000, "maximum number of connections for reviews; beyond it, stalled, unused and idle ones are closed")
	f.DurationVar(&o.reviewTimeout, "review-timeout", 25*time.Second, "maximum duration of a review; API servers time out after 30s")

	f = add("Shutdown")
	f.DurationVar(&o.drainDelay, "drain-delay", 10*time.Second, "keep serving this long after SIGTERM, until API servers have learned that the endpoint is gone")
	f.DurationVar(&o.shutdownTimeout, "shutdown-timeout", 25*time.Second, "maximum time that reviews in progress may then take to finish")

	f = add("Logs and others")
	f.StringVar(&o.logLevel, "log-level", "info", "minimum level of log lines: debug, info, warn or error")
	f.StringVar(&o.logFormat, "log-format", "text", "format of log lines: text or json")
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	return all
}

// parseFlags parses and checks a command line. It returns pflag.ErrHelp for --help.
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
		return nil, fmt.Errorf("unexpected argument %q: the gateway takes only flags", all.Arg(0))
	}
	if o.version {
		return o, nil
	}
	return o, o.check(all)
}

// inWords replaces an error of the standard library about the value of a flag by one that describes
// valid values.
func inWords(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	name, value := invalid.GetFlag().Name, invalid.GetValue()
	switch invalid.GetFlag().Value.Type() {
	case "duration":
		return fmt.Errorf("--%s %q is not a duration: use a number with a unit, such as 500ms, 25s or 5m", name, value)
	case "int", "int64":
		return fmt.Errorf("--%s %q is not an integer", name, value)
	case "bool":
		return fmt.Errorf("--%s %q must be true or false", name, value)
	}
	return fmt.Errorf("--%s %w", name, errors.Unwrap(invalid))
}

const (
	intro = `gateway serves the conversion webhooks of CustomResourceDefinitions from a
directory of WebAssembly modules. It checks every result before it responds, and
loads new and changed modules without a restart or a failed request.

Usage: gateway --modules DIR --tls-cert-file FILE --tls-key-file FILE [flags]
       gateway --modules DIR --dev [flags]

A module is named for the conversions that it provides:
CronTab.stable.example.com_v1_v2.wasm. Sizes are written 64Mi, times 25s.
`
	examples = `
Examples:

  In a pod, with a certificate from a mounted Secret:
    gateway --modules /modules \
      --tls-cert-file /certificate/tls.crt --tls-key-file /certificate/tls.key

  On a laptop, for curl --cacert ca.crt https://localhost:9443/convert:
    gateway --modules ./modules --dev --dev-ca-file ca.crt --drain-delay 0s

  On a laptop, for a kind cluster:
    gateway --modules ./modules --dev --dev-host host.docker.internal
`
	helpWidth = 80
)

// help returns the output of --help.
func help() string {
	var b strings.Builder
	b.WriteString(intro)
	for _, g := range new(options).groups() {
		b.WriteString("\n" + g.title + ":\n" + g.flags.FlagUsagesWrapped(helpWidth))
	}
	b.WriteString(examples)
	return b.String()
}
