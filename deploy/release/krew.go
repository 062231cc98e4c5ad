package main

import (
	"context"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// krewManifest is the file for the index of krew, kubectl's plugin manager.
const krewManifest = "krew-crosswalk.yaml"

//go:embed krew.yaml
var krewHead string

// krew writes an archive of the tool with its licences for each platform, because krew installs
// nothing else, and the manifest that names them.
func (r release) krew(context.Context) error {
	licenses, err := os.ReadFile(r.path(licensesFile))
	if err != nil {
		return err
	}
	manifest := strings.NewReplacer("VERSION", r.version).Replace(krewHead)
	for _, t := range targets() {
		if t.program != "crosswalk" {
			continue
		}
		program, err := os.ReadFile(r.path(t.file(r.version)))
		if err != nil {
			return err
		}
		name := "kubectl-crosswalk"
		if t.os == "windows" {
			name += ".exe"
		}
		archive := fmt.Sprintf("kubectl-crosswalk-%s-%s-%s.tar.gz", r.version, t.os, t.arch)
		if err := writeArchive(r.path(archive), []entry{{name, 0o755, program}, {licensesFile, 0o644, licenses}}); err != nil {
			return err
		}
		sum, err := checksum(r.path(archive))
		if err != nil {
			return err
		}
		manifest += fmt.Sprintf(`  - selector:
      matchLabels: {os: %s, arch: %s}
    uri: https://github.com/crosswalk-gateway/crosswalk/releases/download/%s/%s
    sha256: %s
    bin: %s
`, t.os, t.arch, r.version, archive, hex.EncodeToString(sum), name)
	}
	return os.WriteFile(r.path(krewManifest), []byte(manifest), 0o644)
}
