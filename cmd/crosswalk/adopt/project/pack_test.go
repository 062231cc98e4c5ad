package project

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-gateway/crosswalk/internal/dictionary"
)

// TestPackUsesDictionary packs text that is mostly the dictionary's, by the program zstd and by the
// library, and unpacks it.
func TestPackUsesDictionary(t *testing.T) {
	d := dictionary.Newest()
	common, err := d.Content()
	if err != nil {
		t.Fatal(err)
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderDictRaw(d.ID, common))
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	text := append(bytes.Clone(common[1<<20:2<<20]), "a module's own code"...)
	for _, test := range []struct{ name, path string }{{"program", ""}, {"library", t.TempDir()}} {
		t.Run(test.name, func(t *testing.T) {
			if test.path != "" {
				t.Setenv("PATH", test.path)
			}
			packed, err := pack(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := unpack.DecodeAll(packed, nil); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%d bytes unpack to %d, %v; want %d", len(packed), len(got), err, len(text))
			}
			var head zstd.Header
			if err := head.Decode(packed); err != nil || head.DictionaryID != d.ID {
				t.Errorf("the frame names the dictionary %d, %v; want %d", head.DictionaryID, err, d.ID)
			}
			if len(packed) > 10<<10 {
				t.Errorf("1 MB of the dictionary's text and a few bytes take %d bytes", len(packed))
			}
		})
	}
}
