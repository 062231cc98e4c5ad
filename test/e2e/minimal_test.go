package e2e

import (
	"path/filepath"
	"testing"
)

// With --reply-metadata=minimal users see no difference: API servers put back what the answers leave out.
func TestMinimalMetadata(t *testing.T) {
	const language = "go" // there is always a toolchain for it
	plugins, err := shared.plugins()
	if err != nil {
		t.Fatal(err)
	}
	p := readyGateway(t, filepath.Join(plugins.Dir, language), "--reply-metadata", "minimal", "--cache-bytes", "0")
	for _, example := range examples {
		t.Run(example.dir, func(t *testing.T) {
			crd := pluginCRD(t, example.dir)
			install(t, shared.server, crd, p.URL(), shared.authority.PEM, "v1")
			s := &story{example: example, crd: crd, was: shared.server.Resource(crd, example.was), now: shared.server.Resource(crd, example.now)}
			s.tell(t)
		})
	}
}
