// Package oci carries module directories through container registries: Push makes an image of
// module files, Pull writes the files of an image to a directory that a gateway watches, and Watch
// repeats Pull when the reference changes.
//
// The artifact is an OCI image: one layer with the files at its root, and an artifactType. The same
// reference therefore works as an image volume of a pod and with tools that know images only. The
// gateway itself has no part in it: it watches the directory and uses no network.
package oci

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/internal/buildinfo"
)

// ArtifactType marks a manifest as a directory of modules.
const ArtifactType = "application/vnd.crosswalk.modules.v1"

// The limits of an image. The first two are the limits of the gateway for a directory
// (docs/use/flags-and-metrics.md), with room for definitions beside the modules.
const (
	maxFiles = 512
	maxTotal = 512 << 20 // bytes of all files together, inflated
	// maxLayers is more than a Dockerfile with a line for each file makes.
	maxLayers = 127
	// maxManifest is 2 KiB for each layer. A registry can send 100 MiB, of which each empty layer
	// of 3 bytes takes 136 bytes of memory.
	maxManifest = 256 << 10
	// maxWindow is the window of zstd that every decoder has room for (RFC 8878, 3.1.1.1.2). A
	// layer of a kilobyte can ask for gigabytes.
	maxWindow = 8 << 20
	// maxName is the length of a file's name on the common file systems, and maxShown the part of
	// one that an error shows.
	maxName, maxShown = 255, 80
)

// attemptTime bounds one Pull or Push: 512 MiB at 2 MB/s.
const attemptTime = 5 * time.Minute

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
