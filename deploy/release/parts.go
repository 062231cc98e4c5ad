package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
)

// part is software that is not Go and is linked into a program: its modules are not in the build
// information of the binary.
type part struct {
	name, version string
	purl          string   // package URL
	license       string   // SPDX identifier
	texts         []string // below node_modules of sdk/javascript, or licenses/… in this package
}

//go:embed licenses
var licenseTexts embed.FS

const nodeModules = "sdk/javascript/node_modules"

// parts returns the parts of a program. All are in the JavaScript engine of crosswalk
// (sdk/javascript/engine/build.mjs): two packages of npm, and the libraries that quickjs-wasi
// itself is linked with, which have neither a package nor a licence text there.
func parts(program string) []part {
	if program != "crosswalk" {
		return nil
	}
	return []part{
		{"assemblyscript", "0.28.20", "pkg:npm/assemblyscript@0.28.20", "Apache-2.0", []string{"assemblyscript/LICENSE", "assemblyscript/NOTICE"}},
		{"quickjs-wasi", "3.6.2", "pkg:npm/quickjs-wasi@3.6.2", "MIT", []string{"quickjs-wasi/LICENSE"}},
		{"quickjs-ng", "0.17.0", "pkg:github/quickjs-ng/quickjs@v0.17.0", "MIT", []string{"licenses/quickjs-ng.txt"}},
		{"wasi-libc", "", "pkg:github/webassembly/wasi-libc", "MIT", []string{"licenses/wasi-libc.txt"}},
	}
}

// read returns the text of a licence.
func (p part) read(text string) ([]byte, error) {
	if path.Dir(text) == "licenses" {
		return licenseTexts.ReadFile(text)
	}
	return os.ReadFile(path.Join(nodeModules, text))
}

// checkParts compares the versions of parts with the lock file of npm, so that nobody changes one
// without the other.
func checkParts(lock []byte) error {
	var file struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(lock, &file); err != nil {
		return fmt.Errorf("sdk/javascript/package-lock.json: %w", err)
	}
	for _, p := range parts("crosswalk") {
		if locked, ok := file.Packages["node_modules/"+p.name]; ok && locked.Version != p.version {
			return fmt.Errorf("package-lock.json has %s %s, and deploy/release/parts.go %s: correct parts.go, and the version of QuickJS in quickjs-wasi", p.name, locked.Version, p.version)
		}
	}
	return nil
}
