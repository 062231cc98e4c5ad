package project

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/code"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/extract"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/gocmd"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/operator"
	"github.com/crosswalk-gateway/crosswalk/sdk"
)

// WriteVendor writes the vendor tree: copied declarations, and the packages of the SDK.
func WriteVendor(dir string, files []extract.Copied) error {
	root := filepath.Join(dir, "vendor")
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	for _, f := range files {
		if err := gocmd.WriteFile(filepath.Join(root, filepath.FromSlash(f.Pkg), f.Name), f.Text); err != nil {
			return err
		}
	}
	return writeSDK(root)
}

// comparison is the package of the SDK that compares a module with the operator's code.
const comparison = "kubebuilder/adopttest"

// sdkPackages are those that a module needs, and its test.
func sdkPackages() []string {
	return []string{"", "internal/quote", "kubebuilder", "kubebuilder/internal/codec", "kubebuilder/json", comparison}
}

// writeSDK writes the packages of the SDK, and the go.mod of its module.
func writeSDK(vendor string) error {
	files, err := sdk.Files("go")
	if err != nil {
		return err
	}
	for _, pkg := range sdkPackages() {
		dir := cmp.Or(pkg, ".")
		entries, err := fs.ReadDir(files, dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			text, err := fs.ReadFile(files, path.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			if err := gocmd.WriteFile(filepath.Join(vendor, filepath.FromSlash(gocmd.SDKPackage), filepath.FromSlash(pkg), e.Name()), text); err != nil {
				return err
			}
		}
	}
	return gocmd.WriteFile(filepath.Join(vendor, filepath.FromSlash(gocmd.SDKModule), "go.mod"), sdk.GoMod)
}

// WriteSetUp copies the set-up code to the project, which is a package main as it is.
func WriteSetUp(p *operator.Program, dir string) error {
	name := filepath.Join(dir, code.SetUpFile)
	if p.SetUp != nil {
		return gocmd.WriteFile(name, p.SetUp.Text)
	}
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%s is of a run with --set-up: name it with --set-up, or remove it", gocmd.ShortPath(name))
	}
	return nil
}
