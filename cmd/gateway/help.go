package main

import "strings"

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
