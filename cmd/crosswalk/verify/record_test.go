package verify

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/command"
)

func TestRecorder(t *testing.T) {
	const object = `{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"name":"shop","namespace":"acme","uid":"u","managedFields":[{}],` +
		`"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","conversion.example.com/stash":"{}","team":"red"},"labels":{"app":"shop"}},` +
		`"spec":{"n":1.50,"users":[{"id":"Ann1"},{"id":"Bob"}],"secretName":"shop","password":"Hunter2!","tls":{"apiKey":["k9"]},` +
		`"env":[{"name":"DB_PASSWORD","value":"x9"},{"name":"MODE","value":"fast"}],"url":"https://u:p@h/","mode":"fast"}}`
	const bare = `{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"annotations":{"team":"red"},"labels":{"app":"shop"},"name":"shop","namespace":"acme","uid":"u"},`
	for _, test := range []struct {
		replace []string
		want    string
	}{
		{nil, `{"apiVersion":"example.com/v1","kind":"Pool","metadata":{"annotations":{"conversion.example.com/stash":"{}","kubectl.kubernetes.io/last-applied-configuration":"{}","team":"red"},"labels":{"app":"shop"},"managedFields":[{}],"name":"shop","namespace":"acme","uid":"u"},` +
			`"spec":{"env":[{"name":"DB_PASSWORD","value":"x9"},{"name":"MODE","value":"fast"}],"mode":"fast","n":1.50,"password":"Hunter2!","secretName":"shop","tls":{"apiKey":["k9"]},"url":"https://u:p@h/","users":[{"id":"Ann1"},{"id":"Bob"}]}}`},
		{[]string{"secrets"}, bare +
			`"spec":{"env":[{"name":"DB_PASSWORD","value":"x0"},{"name":"MODE","value":"fast"}],"mode":"fast","n":1.50,"password":"Xxxxxx0!","secretName":"shop","tls":{"apiKey":["x0"]},"url":"xxxxx://x:x@x/","users":[{"id":"Ann1"},{"id":"Bob"}]}}`},
		{[]string{"spec.users", "secrets"}, bare +
			`"spec":{"env":[{"name":"DB_PASSWORD","value":"x0"},{"name":"MODE","value":"fast"}],"mode":"fast","n":1.50,"password":"Xxxxxx0!","secretName":"shop","tls":{"apiKey":["x0"]},"url":"xxxxx://x:x@x/","users":[{"id":"Xxx0"},{"id":"Xxx"}]}}`},
	} {
		if got := recorded(t, test.replace, object); got != test.want+"\n" {
			t.Errorf("%v:\n%s\nwant\n%s", test.replace, got, test.want)
		}
	}

	// the same name has the same replacement, in all objects
	got := recorded(t, []string{"names"}, `{"metadata":{"name":"a","uid":"u"}}`, `{"metadata":{"name":"b"},"spec":{"poolName":"a","mode":"a"}}`)
	const want = `{"metadata":{"name":"name-2","uid":"00000000-0000-4000-8000-000000000001"}}` + "\n" + `{"metadata":{"name":"name-3"},"spec":{"mode":"a","poolName":"name-2"}}` + "\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	// an object whose name sounds like a secret keeps its metadata, but for annotations that do
	got = recorded(t, []string{"names", "secrets"}, `{"metadata":{"name":"token-service","creationTimestamp":"2026-01-02T03:04:05Z","annotations":{"token":"k9"}}}`)
	if want := `{"metadata":{"annotations":{"token":"x0"},"creationTimestamp":"2026-01-02T03:04:05Z","name":"name-1"}}` + "\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if _, err := newRecorder(t.TempDir(), []string{"name"}); !errors.As(err, &command.UsageError{}) {
		t.Errorf("a wrong word: %v", err)
	}
}

// TestRecorderLeavesNoHalf tests that an error leaves the file of an earlier run as it was.
func TestRecorderLeavesNoHalf(t *testing.T) {
	dir := t.TempDir()
	r, err := newRecorder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.open("pools.example.com"); err != nil {
		t.Fatal(err)
	}
	if err := r.add(json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := r.close(errors.New("gone")); err == nil || err.Error() != "gone" {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}

// recorded returns the file with some objects.
func recorded(t *testing.T, replace []string, objects ...string) string {
	t.Helper()
	dir := t.TempDir()
	r, err := newRecorder(dir, replace)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.open("pools.example.com"); err != nil {
		t.Fatal(err)
	}
	read := func(yield func(json.RawMessage, error) bool) {
		for _, o := range objects {
			if !yield(json.RawMessage(o), nil) {
				return
			}
		}
	}
	for _, err := range r.tee(read) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.close(nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pools.example.com.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
