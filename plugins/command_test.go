package plugins_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"
)

// isCommand says that a module is a WASI program of its own, without an SDK: "Command modules" in
// docs/spec/abi.md.
func (p *program) isCommand() bool {
	exports := p.code.ExportedFunctions()
	return exports["_start"] != nil && exports["crosswalk_abi_v1"] == nil
}

// review converts a batch with one run of the program. A program can but refuse all of it; then
// each object gets a run of its own, as in a gateway, which must find out whom it meant.
func (p *program) review(t testing.TB, desired string, objects []string) []answer {
	t.Helper()
	if answers, refusal := p.run(t, desired, objects); refusal == "" {
		return answers
	} else if len(objects) == 1 {
		return []answer{{1, refusal}}
	}
	var out []answer
	for _, o := range objects {
		out = append(out, p.review(t, desired, []string{o})...)
	}
	return out
}

// run starts the program. If it failed, refusal is the last line of its standard error.
func (p *program) run(t testing.TB, desired string, objects []string) (answers []answer, refusal string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	version, _ := json.Marshal(desired)
	request := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":` + string(version) +
		`,"objects":[` + strings.Join(objects, ",") + `]},"response":{}}`
	config := wazero.NewModuleConfig().WithName("").WithArgs("module").WithStdin(strings.NewReader(request)).WithStdout(&stdout).WithStderr(&stderr)
	m, err := p.runtime.InstantiateModule(context.Background(), p.code, config)
	if m != nil {
		m.Close(context.Background())
	}
	if exit := (*sys.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != 0 {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, lines[len(lines)-1]
	} else if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var review struct {
		Response struct {
			UID              string            `json:"uid"`
			ConvertedObjects []json.RawMessage `json:"convertedObjects"`
			Result           struct{ Status, Message string }
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &review); err != nil || review.Response.UID != "u" {
		t.Fatalf("the program wrote no answer: %v: %.200s", err, stdout.String())
	}
	if review.Response.Result.Status != "Success" {
		return nil, review.Response.Result.Message
	}
	for _, o := range review.Response.ConvertedObjects {
		answers = append(answers, answer{0, string(o)})
	}
	if len(answers) != len(objects) {
		t.Fatalf("%d answers for %d objects", len(answers), len(objects))
	}
	return answers, ""
}
