package main

import (
	"errors"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/host"
	"github.com/crosswalk-gateway/crosswalk/host/serve"
	"github.com/crosswalk-gateway/crosswalk/runtime"
	"github.com/crosswalk-gateway/crosswalk/runtime/artifact"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// The values of --schema-check.
const (
	schemaOff     = "off"
	schemaReport  = "report"
	schemaEnforce = "enforce"
)

// check finds missing flags, contradictions and values out of range. Each error names the flag and
// the remedy.
func (o *options) check(all *pflag.FlagSet) error {
	var err error
	if o.owners, err = parseOwners(o.modules); err != nil {
		return err
	}
	if err := o.checkCertificate(all.Changed); err != nil {
		return err
	}
	if o.required, err = parseRequired(o.require, o.owners); err != nil {
		return err
	}
	if err := parseGroups(o.groupOwners, o.owners); err != nil {
		return err
	}
	if o.listen == "" {
		return errors.New("--listen must not be empty: use an address such as :9443")
	}
	if o.adminListen == o.listen && !strings.HasSuffix(o.listen, ":0") {
		return fmt.Errorf("--listen and --admin-listen are both %s: they must use different ports", o.listen)
	}
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"schema-check", o.schemaCheck, []string{schemaOff, schemaReport, schemaEnforce}},
		{"log-level", o.logLevel, []string{"debug", "info", "warn", "error"}},
		{"log-format", o.logFormat, []string{"text", "json"}},
	} {
		if !slices.Contains(choice.allowed, choice.value) {
			return fmt.Errorf("--%s %q must be one of %s", choice.name, choice.value, strings.Join(choice.allowed, ", "))
		}
	}
	return o.checkBounds()
}

func (o *options) checkCertificate(changed func(flag string) bool) error {
	if o.dev {
		for _, name := range []string{"tls-cert-file", "tls-key-file", "client-ca-file"} {
			if changed(name) {
				return fmt.Errorf("--dev and --%s cannot be combined: --dev generates its own certificate", name)
			}
		}
		for _, host := range o.devHosts {
			if net.ParseIP(host) == nil && !isHostName(host) {
				return fmt.Errorf("--dev-host %q must be a host name or an IP address, without a port", host)
			}
		}
		return nil
	}
	for _, name := range []string{"dev-host", "dev-ca-file"} {
		if changed(name) {
			return fmt.Errorf("--%s requires --dev", name)
		}
	}
	switch {
	case o.certFile == "" && o.keyFile == "":
		return errors.New("--tls-cert-file and --tls-key-file are required (or use --dev)")
	case o.certFile == "":
		return errors.New("--tls-cert-file is required with --tls-key-file")
	case o.keyFile == "":
		return errors.New("--tls-key-file is required with --tls-cert-file")
	}
	return nil
}

// isHostName reports whether a name is a host name by RFC 1123: labels of letters, digits and
// hyphens, with dots between them.
func isHostName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		strange := strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
		})
		if label == "" || len(label) > 63 || strange || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return len(name) <= 253
}

// checkBounds checks the range of numbers. Zero is valid only where --help says so.
func (o *options) checkBounds() error {
	const page = 64 << 10        // of a WebAssembly memory
	const largest size = 1 << 40 // more memory than machines have, and sums of it do not overflow
	const leastChild = 32 << 20  // a child process without work has 16 to 22 MiB
	for _, s := range []struct {
		name            string
		value, min, max size
	}{
		{"max-module-bytes", o.maxModule, 1, 4 << 30}, // WebAssembly has 32-bit offsets
		{"module-memory-bytes", o.moduleMemory, page, module.LargestMemory * page},
		{"max-loaded-bytes", o.maxLoaded, 1, largest},
		{"vet-memory-bytes", o.vetMemory, leastChild, largest},
		{"max-definition-bytes", o.maxDefinitions, leastChild, largest},
		{"max-body-bytes", o.maxBody, 1, serve.LargestBody},
		{"max-body-bytes-in-flight", o.maxBodiesInFlight, 4 * min(o.maxBody, largest), 4 * largest},
		{"max-reply-bytes", o.maxReply, 1, largest},
		{"cache-bytes", o.cache, 0, largest},
		{"max-object-bytes", o.maxObject, 1, host.LargestObject},
	} {
		switch {
		case s.value < s.min:
			return fmt.Errorf("--%s %s must be at least %s", s.name, &s.value, &s.min)
		case s.value > s.max:
			return fmt.Errorf("--%s %s must be at most %s", s.name, &s.value, &s.max)
		}
	}
	if o.moduleMemory%page != 0 {
		return fmt.Errorf("--module-memory-bytes %s must be a multiple of 64Ki, the page size of WebAssembly", &o.moduleMemory)
	}
	for _, n := range []struct {
		name            string
		value, min, max int64
	}{
		{"fuel-per-object", o.fuelPerObject, 1, 1e15}, // takes days, and sums of it do not overflow
		{"fuel-per-byte", o.fuelPerByte, 1, 1e9},
		{"fuel-to-start", o.fuelToStart, 1, 1e15},
		{"max-connections", int64(o.maxConnections), 1, math.MaxInt32},
		{"max-instances", int64(o.maxInstances), 0, math.MaxInt32},
	} {
		switch {
		case n.value < n.min:
			return fmt.Errorf("--%s %d must be at least %d", n.name, n.value, n.min)
		case n.value > n.max:
			return fmt.Errorf("--%s %d must be at most %d", n.name, n.value, n.max)
		}
	}
	for _, d := range []struct {
		name       string
		value, min time.Duration
	}{
		{"call-timeout", o.callTimeout, time.Millisecond},
		{"probation", o.probation, 0},
		{"review-timeout", o.reviewTimeout, time.Millisecond},
		{"drain-delay", o.drainDelay, 0},
		{"shutdown-timeout", o.shutdownTimeout, time.Millisecond},
	} {
		if d.value < d.min {
			return fmt.Errorf("--%s %v must be at least %v", d.name, d.value, d.min)
		}
	}
	return nil
}

// parseRequired reads the values of --require. They have the form of module names: two or more
// versions stand for all conversions between them, and _to_ for one conversion. With an owner before
// the name, it reserves the kind for the owner. A value may be the file name of its module, as the
// errors spell it.
func parseRequired(values []string, owners []runtime.Owner) (edges []artifact.Edge, err error) {
	reserved := map[string]string{}
	for _, v := range values {
		file := strings.TrimSuffix(v, ".wasm") + ".wasm"
		name, err := artifact.ParseOwned(file)
		if err != nil {
			return nil, fmt.Errorf("--require %s: %s", v, strings.TrimPrefix(err.Error(), fmt.Sprintf("file name %q: ", filepath.Base(file))))
		}
		if name.Owner != "" {
			kind := name.Kind + "." + name.Group
			i := slices.IndexFunc(owners, func(o runtime.Owner) bool { return o.Name == name.Owner })
			switch other, there := reserved[kind]; {
			case i < 0:
				return nil, fmt.Errorf("--require %s must begin with an owner of --modules, or with the kind", v)
			case there && other != name.Owner:
				return nil, fmt.Errorf("--require reserves the kind %s for the owners %s and %s: a kind has one owner", kind, other, name.Owner)
			case !there:
				reserved[kind] = name.Owner
				owners[i].Kinds = append(owners[i].Kinds, kind)
			}
		}
		edges = append(edges, name.Edges()...)
	}
	return edges, nil
}
