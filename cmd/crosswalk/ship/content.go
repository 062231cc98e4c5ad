package ship

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/oci"
	"github.com/crosswalk-gateway/crosswalk/runtime/sums"
)

// sumsType is the artifactType of the referrer with SHA256SUMS and its signature.
const sumsType = "application/vnd.crosswalk.sums.v1"

// contentFlags say what push writes beside the files.
type contentFlags struct {
	format      string
	annotations []string
	attach      []string
}

func (c *contentFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&c.format, "format", "image", "`FORMAT` of the artifact: image, or wasm for one module")
	flags.StringArrayVar(&c.annotations, "annotation", nil,
		"`KEY=VALUE` to write to the manifest; a KEY without a dot, such as source, revision or licenses, gets the prefix org.opencontainers.image.; can be repeated")
	flags.StringArrayVar(&c.attach, "attach", nil,
		"`TYPE=FILE` to push as a referrer of the image, such as application/vnd.cyclonedx+json=bom.json; can be repeated")
}

// content returns the files of the artifact, and what is written beside them.
func (c *contentFlags) content(files []oci.File) ([]oci.File, oci.Content, error) {
	var what oci.Content
	switch c.format {
	case "image":
	case "wasm":
		what.Wasm = true
	default:
		return nil, what, command.Usagef("--format must be image or wasm, not %q", c.format)
	}
	for _, text := range c.annotations {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, what, command.Usagef("--annotation must be KEY=VALUE, not %q", text)
		}
		if !strings.Contains(key, ".") {
			key = "org.opencontainers.image." + key
		}
		if what.Annotations == nil {
			what.Annotations = map[string]string{}
		}
		what.Annotations[key] = value
	}
	var signed []oci.File
	for _, f := range files {
		if ofList(f) {
			signed = append(signed, f)
		}
	}
	if len(signed) > 1 { // a list without a signature proves nothing
		what.Attached = append(what.Attached, oci.Attachment{ArtifactType: sumsType, Files: signed})
		if what.Wasm {
			files = slices.DeleteFunc(slices.Clone(files), ofList)
		}
	}
	for _, text := range c.attach {
		mediaType, path, ok := strings.Cut(text, "=")
		if !ok || !strings.Contains(mediaType, "/") {
			return nil, what, command.Usagef("--attach must be TYPE=FILE with a media type, not %q", text)
		}
		attached, err := oci.Files(path)
		if err != nil {
			return nil, what, err
		}
		what.Attached = append(what.Attached, oci.Attachment{ArtifactType: mediaType, Files: attached})
	}
	return files, what, nil
}

// ofList reports whether a file is SHA256SUMS or a signature of it.
func ofList(f oci.File) bool {
	return f.Name == sums.ListFile || f.Name == sums.SignatureFile || f.Name == sums.BundleFile
}
