package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// bomb is a kind whose module is good and whose definition is not.
const bomb = "Bomb"

// echo is a kind whose module answers objects as they are. Clients that take bytes of requests and
// answers use it: the gateway divides these by kind, so with a kind of an honest owner they would take
// that owner's share.
const echo = "Echo"

// attack adds the hostile modules and definitions to those that serve.
func (d *directories) attack() error {
	if d.attacks.of(modules).on {
		if err := d.placeHostile(); err != nil {
			return err
		}
	}
	if err := place("cmd/gateway/testdata/one.wasm", filepath.Join(d.of(hostile), bomb+".hostile.example.com_v1_v2.wasm"), -1); err != nil {
		return err
	}
	d.hostile = append(d.hostile, bomb)
	var failed []error
	if d.attacks.of(connections).on {
		failed = append(failed, place("runtime/testdata/good_echo.wasm", filepath.Join(d.of(hostile), echo+".hostile.example.com_v1_v2.wasm"), -1))
	}
	for _, c := range d.hostileChanges() {
		failed = append(failed, c.do(0))
	}
	return errors.Join(failed...)
}

// put writes a file of an attacker.
func (d *directories) put(attack, owner, name string, content []byte) error {
	d.attacks.of(attack).ran.Add(1)
	return write(filepath.Join(d.of(owner), name), content)
}

// slowFiles writes modules that never finish their start, each with new content, so that they are
// loaded again.
func (d *directories) slowFiles(n int) error {
	for i, from := range []string{"m09_start_spin", "m09_initialize_spin", "m10_start_recursion", "m09_start_random"} {
		for k := range 10 { // of ten kinds each
			for _, owner := range attackers {
				content, err := variant("runtime/testdata/"+from+".wasm", 10*n+k)
				if err == nil {
					err = d.put(slowFiles, owner, fmt.Sprintf("Start%dx%d.%s.example.com_v1_v2.wasm", i, k, owner), content)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// files writes files that are expensive to read: dead code that metering could make grow, and
// definitions with aliases, patterns and alternatives.
func (d *directories) files(n int) error {
	for _, f := range []struct {
		name    string
		content []byte
	}{
		{"Dead.hostile.example.com_v1_v2.wasm.gz", pack(deadGrow(100_000 + n))},
		{"aliases.hostile.example.com.crd.yaml", aliases(n)},
		{"patterns.hostile.example.com.crd.yaml", definition("Pattern", hostile, n, `"properties":{"module":{"allOf":[`+list(1670, `{"pattern":"(?:x??){1000}"}`)+`]}}`)},
		{"bombs.hostile.example.com.crd.yaml", definition(bomb, hostile, n, `"properties":{"module":{"anyOf":[`+list(60_000, `{"minLength":9}`)+`]}}`)},
	} {
		if err := d.put(definitions, hostile, f.name, f.content); err != nil {
			return err
		}
	}
	return nil
}

// large has each attacker switch the contents of all bytes that its directory may have: sparse files,
// which cost it nothing.
func (d *directories) large(n int) error {
	const files, size = 5, 30 << 20
	for _, owner := range attackers {
		for i := range files {
			name := fmt.Sprintf("Large%d.%s.example.com_v1_v2.wasm", i, owner)
			if err := d.put(contents, owner, name, fmt.Append(nil, n)); err != nil {
				return err
			}
			if err := os.Truncate(filepath.Join(d.of(owner), name), size); err != nil {
				return err
			}
		}
	}
	return nil
}

// sidecars writes 512 sidecars without a module for each attacker.
func (d *directories) sidecars(n int) error {
	for _, owner := range attackers {
		for i := range 512 {
			if err := d.put(sidecars, owner, fmt.Sprintf("Side%d.%s.example.com_v1_v2.yaml", i, owner), fmt.Appendf(nil, "cases: [] # %d", n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// definitions writes 30 definitions of a megabyte for each attacker.
func (d *directories) definitions(n int) error {
	for _, owner := range attackers {
		for i := range 30 {
			content := definition(fmt.Sprintf("Definition%d", i), owner, n, `"properties":{"module":{"anyOf":[`+list(65_000, `{"minLength":9}`)+`]}}`)
			if err := d.put(definitions, owner, fmt.Sprintf("definition%ds.%s.example.com.crd.yaml", i, owner), content); err != nil {
				return err
			}
		}
	}
	return nil
}

// names writes empty modules and a definition for kinds of the honest owners for each attacker.
func (d *directories) names(n int) error {
	for _, owner := range attackers {
		for _, other := range honest {
			for name, content := range map[string][]byte{
				heart + "." + other + ".example.com_v1_v2.wasm":                                  nil,
				heart + "." + other + ".example.com_v1_v2_v3_v4_v5_v6_v7_v8_v9_v10_v11_v12.wasm": nil,
				"hearts." + other + ".example.com.crd.yaml":                                      definition(heart, other, n, `"properties":{"spec":{"type":"integer"}}`),
			} {
				if err := d.put(names, owner, name, content); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func list(n int, element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
}

// definition is a CustomResourceDefinition of an owner whose newest version has a schema.
func definition(kind, owner string, n int, schema string) []byte {
	version := func(name string) string {
		return `{"name":"` + name + `","served":true,"storage":` + fmt.Sprint(name == "v2") + `,"schema":{"openAPIV3Schema":{"type":"object",` + schema + `}}}`
	}
	plural := strings.ToLower(kind) + "s"
	return fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%s.%s.example.com","generation":%d},"spec":{"group":"%s.example.com",`+
		`"names":{"kind":"%s","plural":"%s"},"scope":"Namespaced","versions":[%s,%s]}}`, plural, owner, n, owner, kind, plural, `{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}`, version("v2"))
}

// aliases is YAML whose aliases name lists of aliases: expanded, it has 10^9 values.
func aliases(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %d\na0: &a0 [x]\n", n)
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, list(10, fmt.Sprintf("*a%d", i-1)))
	}
	return b.Bytes()
}

// deadGrow is a module with so many memory.grow instructions that are never reached.
func deadGrow(grows int) []byte {
	section := func(id byte, content []byte) []byte {
		return append(binary.AppendUvarint([]byte{id}, uint64(len(content))), content...)
	}
	const unreachable, end = 0x00, 0x0b
	body := []byte{0, unreachable}
	body = append(body, bytes.Repeat([]byte{0x41, 0, 0x40, 0, 0x1a}, grows)...) // i32.const 0, memory.grow, drop
	body = append(body, end)
	code := append([]byte{1}, binary.AppendUvarint(nil, uint64(len(body)))...)
	wasm := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range [][]byte{
		section(1, []byte{1, 0x60, 0, 0}), // one type: no parameters, no results
		section(3, []byte{1, 0}),
		section(5, []byte{1, 0, 1}), // a memory of one page
		section(7, append(append([]byte{2, 6}, "memory\x02\x00\x06_start"...), 0, 0)),
		section(10, append(code, body...)),
	} {
		wasm = append(wasm, s...)
	}
	return wasm
}

func pack(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // into memory, which does not fail
	_ = w.Close()
	return b.Bytes()
}
