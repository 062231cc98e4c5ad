package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
	"github.com/crosswalk-gateway/crosswalk/internal/testing/eventually"
	"github.com/crosswalk-gateway/crosswalk/test/internal/artifacts"
	"github.com/crosswalk-gateway/crosswalk/test/internal/page"
)

// TestMigratePage runs the commands of docs/use/migrate.md, and compares their output with the page's.
func TestMigratePage(t *testing.T) {
	blocks, err := page.Blocks("docs", "use", "migrate.md")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := shared.tool()
	if err != nil {
		t.Fatal(err)
	}
	p, crd := pluginGateway(t, "c"), pluginCRD(t, "crontab")
	pluginModule(t, "c", crontabFile)
	v2 := crd.Spec.Versions[1]
	crd.Spec.Versions, crd.Spec.Conversion = crd.Spec.Versions[:1], nil
	installPlain(t, shared.uncached, crd)
	cluster, err := attach.NewCluster(shared.uncached.REST)
	if err != nil {
		t.Fatal(err)
	}
	c := &cronTabs{crd, cluster, shared.uncached.Resource(crd, "v1"), shared.uncached.Resource(crd, "v2")}

	dir, config := t.TempDir(), kubeconfig(t)
	plugins, err := shared.plugins()
	if err != nil {
		t.Fatal(err)
	}
	converter, err := plugins.Module("c", crontabFile)
	if err != nil {
		t.Fatal(err)
	}
	definition, err := artifacts.Read("plugins", "crontab", "crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{
		"ca.crt": string(shared.authority.PEM), "modules/" + crontabFile: string(converter), "crd.yaml": string(definition),
		"deploy/nightly.yaml":                "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata:\n  name: nightly\nspec:\n  cronSpec: \"0 3 * * *\"\n  image: three\n",
		"deploy/overlays/kustomization.yaml": "resources: [..]\npatches:\n- patch: |\n    # The image of this cluster.\n    apiVersion: stable.example.com/v1\n    kind: CronTab\n    metadata: {name: nightly}\n    spec: {image: four}\n",
	} {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// shows runs a command of the page, with more arguments and with answers.
	shows := func(command, answers string, code int, more ...string) {
		t.Helper()
		block, there := blocks[command]
		if !there {
			t.Fatalf("the page does not have $ %s", command)
		}
		args := append(strings.Fields(command)[1:], more...)
		if args[0] != "convert" {
			args = append(args, "--kubeconfig", config, "--context", "test")
		}
		cmd := exec.CommandContext(deadline(t), binary, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(answers)
		output, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("crosswalk %q ended with %d, want %d", args, got, code)
		}
		text := strings.ReplaceAll(string(output), "[y/N] ", "[y/N] y\n") // as on a terminal
		if err := block.Compare(text); err != nil {
			t.Error(err)
		}
	}
	change := func(change func(*apiextensions.CustomResourceDefinition)) {
		t.Helper()
		if err := shared.uncached.Update(deadline(t), crd.Name, change); err != nil {
			t.Fatal(err)
		}
	}

	change(func(crd *apiextensions.CustomResourceDefinition) {
		v2.Served, v2.Storage = false, false
		crd.Spec.Versions = append(crd.Spec.Versions, v2)
	})
	for _, name := range []string{"cron-0", "cron-1"} {
		c.mustApply(t, "v1", "kustomize-controller", name, "spec: {cronSpec: 0 7 * * *, image: one}")
	}
	shows("crosswalk attach crontabs.stable.example.com", "", 0, "--url", p.URL(), "--ca-file", "ca.crt")
	change(func(crd *apiextensions.CustomResourceDefinition) { crd.Spec.Versions[1].Served = true })
	eventually.Succeeds(t, "v2 is served", func() error {
		_, err := c.v2.List(deadline(t), metav1.ListOptions{})
		return err
	})
	shows("crosswalk convert --to v2 -f deploy -R --write --crd crd.yaml modules", "", 1)
	for _, name := range []string{"cron-0", "cron-1"} { // the last writer comes first in the plan
		c.patch(t, c.v1, "scaler", name, `{"spec":{"replicas":3}}`)
	}
	shows("crosswalk plan crontabs.stable.example.com --remove v1", "", 0)
	shows("crosswalk retire crontabs.stable.example.com v1", "", 1)
	if err := os.Remove(filepath.Join(dir, "deploy/overlays/kustomization.yaml")); err != nil { // its author moves it
		t.Fatal(err)
	}
	shows("crosswalk retire -f deploy crontabs.stable.example.com v1", "y\ny\n", 0, "--idle", "0s")
}
