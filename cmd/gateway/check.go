package main

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The values of --reply-metadata.
const (
	replyFaithful = "faithful"
	replyMinimal  = "minimal"
)

// check finds what is missing, contradicts itself or is out of bounds. Each error names the flag and what to do.
func (o *options) check(all *pflag.FlagSet) error {
	if o.modules == "" {
		return errors.New("--modules is missing: name the directory with the modules to serve")
	}
	if err := o.checkCertificate(all.Changed); err != nil {
		return err
	}
	switch {
	case o.shadowModules == "" && all.Changed("shadow-share"):
		return errors.New("--shadow-share needs --shadow-modules")
	case o.shadowModules != "" && filepath.Clean(o.shadowModules) == filepath.Clean(o.modules):
		return errors.New("--shadow-modules is the directory of --modules: candidates need one of their own")
	}
	if o.settle <= 0 {
		return fmt.Errorf("--settle-time %v is no time to wait: name one above zero, such as 250ms", o.settle)
	}
	var err error
	if o.required, err = parseRequired(o.require); err != nil {
		return err
	}
	if o.listen == "" {
		return errors.New("--listen is empty: name an address such as :9443")
	}
	if o.adminListen == o.listen && !strings.HasSuffix(o.listen, ":0") {
		return fmt.Errorf("--listen and --admin-listen are both %s: choose another port for one of them", o.listen)
	}
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"schema-check", o.schemaCheck, []string{schemaOff, schemaReport, schemaEnforce}},
		{"reply-metadata", o.replyMetadata, []string{replyFaithful, replyMinimal}},
		{"log-level", o.logLevel, []string{"debug", "info", "warn", "error"}},
		{"log-format", o.logFormat, []string{"text", "json"}},
	} {
		if !slices.Contains(choice.allowed, choice.value) {
			return fmt.Errorf("--%s %q is none of %s", choice.name, choice.value, strings.Join(choice.allowed, ", "))
		}
	}
	return o.checkBounds()
}

func (o *options) checkCertificate(changed func(flag string) bool) error {
	if o.dev {
		for _, name := range []string{"tls-cert-file", "tls-key-file", "client-ca-file"} {
			if changed(name) {
				return fmt.Errorf("--dev and --%s contradict each other: --dev makes a certificate of its own", name)
			}
		}
		for _, host := range o.devHosts {
			if net.ParseIP(host) == nil && len(validation.IsDNS1123Subdomain(strings.ToLower(host))) > 0 {
				return fmt.Errorf("--dev-host %q is neither a host name nor an address; ports are not part of certificates", host)
			}
		}
		return nil
	}
	for _, name := range []string{"dev-host", "dev-ca-file"} {
		if changed(name) {
			return fmt.Errorf("--%s needs --dev", name)
		}
	}
	switch {
	case o.certFile == "" && o.keyFile == "":
		return errors.New("there is no certificate: name one with --tls-cert-file and --tls-key-file, or try things out with --dev")
	case o.certFile == "":
		return errors.New("--tls-cert-file is missing: name the certificate that --tls-key-file belongs to")
	case o.keyFile == "":
		return errors.New("--tls-key-file is missing: name the key that --tls-cert-file belongs to")
	}
	return nil
}

// checkBounds holds numbers to what can be done with them. Zero is a choice of its own only where --help says so.
func (o *options) checkBounds() error {
	const page, most = 64 << 10, 4 << 30 // of a WebAssembly memory
	for _, s := range []struct {
		name       string
		value, min size
	}{
		{"max-module-bytes", o.maxModule, 1},
		{"max-directory-bytes", o.maxDirectory, 1},
		{"module-memory-bytes", o.moduleMemory, page},
		{"vet-memory-bytes", o.vetMemory, 64 << 20},
		{"max-body-bytes", o.maxBody, 1},
		{"max-body-bytes-in-flight", o.maxBodiesInFlight, 4 * o.maxBody},
		{"max-reply-bytes", o.maxReply, 1},
		{"cache-bytes", o.cache, 0},
		{"max-object-bytes", o.maxObject, 1},
	} {
		if s.value < s.min {
			return fmt.Errorf("--%s %s is too small: the least is %s", s.name, &s.value, &s.min)
		}
	}
	if o.moduleMemory%page != 0 || o.moduleMemory > most {
		return fmt.Errorf("--module-memory-bytes %s is no multiple of 64Ki up to 4Gi, as WebAssembly memories are", &o.moduleMemory)
	}
	for _, n := range []struct {
		name       string
		value, min int64
	}{
		{"fuel-per-object", o.fuelPerObject, 1},
		{"fuel-per-byte", o.fuelPerByte, 1},
		{"max-instances", int64(o.maxInstances), 0},
		{"max-instances-per-module", int64(o.maxModuleInstances), 0},
		{"max-objects", int64(o.maxObjects), 1},
		{"max-depth", int64(o.maxDepth), 1},
		{"max-in-flight", int64(o.maxInFlight), 0},
		{"max-queue", int64(o.maxQueue), 0},
	} {
		if n.value < n.min {
			return fmt.Errorf("--%s %d is too small: the least is %d", n.name, n.value, n.min)
		}
	}
	if !(o.verifyShare >= 0 && o.verifyShare <= 1) {
		return fmt.Errorf("--verify-share %v is no share: name a number from 0 to 1", o.verifyShare)
	}
	if !(o.shadowShare >= 0 && o.shadowShare <= 1) {
		return fmt.Errorf("--shadow-share %v is no share: name a number from 0 to 1", o.shadowShare)
	}
	for _, d := range []struct {
		name       string
		value, min time.Duration
	}{
		{"call-timeout", o.callTimeout, time.Millisecond},
		{"compile-timeout", o.compileTimeout, time.Millisecond},
		{"instance-wait", o.instanceWait, time.Millisecond},
		{"instance-idle-time", o.instanceIdle, time.Second},
		{"probation", o.probation, 0},
		{"poll-interval", o.poll, time.Second},
		{"queue-timeout", o.queueTimeout, time.Millisecond},
		{"review-timeout", o.reviewTimeout, time.Millisecond},
		{"start-grace", o.startGrace, 0},
		{"drain-delay", o.drainDelay, 0},
		{"shutdown-timeout", o.shutdownTimeout, time.Millisecond},
	} {
		if d.value < d.min {
			return fmt.Errorf("--%s %v is too short: the least is %v", d.name, d.value, d.min)
		}
	}
	return nil
}
