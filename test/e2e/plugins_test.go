package e2e

import (
	"testing"
)

// Files of the example converters (plugins/<crd>/MODULE).
const (
	crontabFile  = "CronTab.stable.example.com_v1_v2.wasm"
	hostportFile = "CronTab.example.com_v1beta1_v1.wasm"
)

// pluginModule returns an example converter.
func pluginModule(t *testing.T, language, file string) ([]byte, error) {
	t.Helper()
	plugins, err := shared.plugins()
	if err != nil {
		t.Fatal(err)
	}
	return plugins.Module(language, file)
}
