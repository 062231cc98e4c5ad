package runtime_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crosswalk-gateway/crosswalk/runtime"
)

func ExampleOpen() {
	// The name of a file says which conversion its module provides.
	dir, err := os.MkdirTemp("", "modules")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "CronTab.stable.example.com_v1_v2.wasm")
	wasm, err := os.ReadFile("testdata/good_echo.wasm") // answers with its input
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(path, wasm, 0o600); err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	m, err := runtime.Open(ctx, path, runtime.OpenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	converted, refused, err := m.Convert(ctx, "stable.example.com/v1", "stable.example.com/v2", [][]byte{[]byte(`{"spec":{}}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, refused: %d\n", converted[0], len(refused))
	// Output: {"spec":{}}, refused: 0
}
