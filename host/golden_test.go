package host

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the answers in testdata/reviews anew")

// renaming returns a module that renames one field and drops a label, as a converter for CronTab
// might. It leaves metadata out unless there is a label to drop.
func renaming(name, from, to string) *funcModule {
	return &funcModule{File: name, One: func(old, _ string, object []byte) ([]byte, string) {
		object = bytes.Replace(object, []byte(`"apiVersion":"`+old+`",`), nil, 1)
		object = bytes.Replace(object, []byte(`"apiVersion": "`+old+`"`), []byte(`"was":"by hand"`), 1)
		object = bytes.Replace(object, []byte(`,"tier":"backend"`), nil, 1)
		return bytes.Replace(object, []byte(`"`+from+`":`), []byte(`"`+to+`":`), 1), ""
	}}
}

// TestGolden answers every review in testdata/reviews and compares with the answer beside it.
func TestGolden(t *testing.T) {
	list := append(
		edges(renaming("CronTab.stable.example.com_v1_to_v2.wasm", "cronSpec", "schedule"), "v1→v2"),
		edges(renaming("CronTab.stable.example.com_v2_to_v1.wasm", "schedule", "cronSpec"), "v2→v1")...)
	list = append(list, edges(renaming("CronTab.stable.example.com_v1beta1_to_v1.wasm", "none", "none"), "v1beta1→v1")...)
	c := converter(list...)
	files, err := filepath.Glob("testdata/reviews/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reviews: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			answer, outcome, rerr := c.Review(context.Background(), body)
			if rerr != nil {
				t.Fatal(rerr)
			}
			checkAnswer(t, body, answer, outcome)
			golden := strings.TrimSuffix(file, ".json") + ".answer"
			if *update {
				if err := os.WriteFile(golden, append(answer, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(answer) + "\n"; got != string(want) {
				t.Errorf("answer\n%s\nwant\n%s", got, want)
			}
		})
	}
}
