package host_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/crosswalk-gateway/crosswalk/host"
)

// renameField is a Module written in Go: from v1 to v2, spec.cron becomes spec.schedule.
type renameField struct{}

func (renameField) Name() string                    { return "CronTab.stable.example.com_v1_v2" }
func (renameField) Digest() string                  { return "" }
func (renameField) Fields(from, to string) []string { return nil }

func (renameField) Convert(_ context.Context, from, to string, objects [][]byte) ([][]byte, map[int]string, error) {
	converted := make([][]byte, len(objects))
	for i, o := range objects {
		o = bytes.Replace(o, []byte(from), []byte(to), 1)
		converted[i] = bytes.Replace(o, []byte(`"cron"`), []byte(`"schedule"`), 1)
	}
	return converted, nil, nil
}

func ExampleNewConverter() {
	converter, err := host.NewConverter(host.ConverterConfig{
		Modules: host.Static(host.NewRoutes([]host.Edge{
			{Group: "stable.example.com", Kind: "CronTab", From: "v1", To: "v2", Module: renameField{}},
		})),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, outcome, err := converter.Review(context.Background(), []byte(`{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": {"uid": "42", "desiredAPIVersion": "stable.example.com/v2", "objects": [
			{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "daily"}, "spec": {"cron": "0 5 * * *"}}
		]}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d object from %s to %s\n", outcome.Objects, outcome.From, outcome.To)
	fmt.Println(string(answer))
	// Output:
	// 1 object from v1 to v2
	// {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"42","convertedObjects":[{"apiVersion": "stable.example.com/v2", "kind": "CronTab", "metadata": {"name": "daily"}, "spec": {"schedule": "0 5 * * *"}}],"result":{"status":"Success"}}}
}
