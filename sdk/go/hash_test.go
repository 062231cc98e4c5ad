package crosswalk

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

// stashVectors is the file that the SDKs of all languages share.
type stashVectors struct {
	Hash []struct{ JSON, Hash string }
	For  []struct {
		JSON   string
		Hashes []struct {
			For  []string
			Hash string
		}
	}
	Pointer []struct {
		Keys    []string
		Pointer string
	}
	Served []struct{ JSON, Served string }
}

func readStashVectors(t *testing.T) (v stashVectors) {
	text, err := os.ReadFile("../../plugins/testdata/stash.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil || len(v.Hash) == 0 || len(v.For) == 0 || len(v.Pointer) == 0 || len(v.Served) == 0 {
		t.Fatalf("%v: %v", v, err)
	}
	return v
}

func TestHash(t *testing.T) {
	for _, v := range readStashVectors(t).Hash {
		want, err := strconv.ParseUint(v.Hash, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		o := Parse([]byte(v.JSON))
		if got := o.doc.hash(0); got != want || o.Err() != nil {
			t.Errorf("%s: got %016x, %v; want %s", v.JSON, got, o.Err(), v.Hash)
		}
	}
}
