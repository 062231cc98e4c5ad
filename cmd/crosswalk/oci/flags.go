package oci

import (
	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
)

// Flags are the flags for a registry.
type Flags struct {
	certificates string
	plainHTTP    bool
}

// Declare declares the flags.
func (f *Flags) Declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.certificates, "certs-dir", DefaultCertificates,
		"`DIRECTORY` with certificate authorities of registries, in files HOST/*.crt or HOST:PORT/*.crt")
	flags.BoolVar(&f.plainHTTP, "plain-http", false, "allow a registry without TLS; always allowed for localhost, private addresses and names in .local")
}

// Registry returns how to reach registries.
func (f *Flags) Registry() Registry {
	return Registry{Certificates: f.certificates, PlainHTTP: f.plainHTTP, UserAgent: "crosswalk/" + buildinfo.Read().Version}
}
