package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPagesNameCommands looks up every command that a page names in code, and the flags after it.
func TestPagesNameCommands(t *testing.T) {
	_, help, _ := crosswalk("", "docs", "cli")
	var commands []string
	for _, m := range regexp.MustCompile(`(?m)^### crosswalk (\S+)$`).FindAllStringSubmatch(help, -1) {
		commands = append(commands, m[1])
	}
	if len(commands) < 15 {
		t.Fatalf("%d commands: %q", len(commands), commands)
	}
	code := regexp.MustCompile("`[^`\n]+`|(?m)^ {4,}.*$|(?ms)^```[a-z]*$.*?^```$")
	named := regexp.MustCompile("(?m)(?:^ *(?:\\$ )?|`|\\| |&& |bin/|kubectl )crosswalk ([a-z][a-z-]+)([^|#\n`]*)")
	flag := regexp.MustCompile(`(?:^|[\s\[])--([a-z][a-z-]+)`)
	helps := map[string]string{}
	_, limits, _ := crosswalk("", "help", "limits")
	for _, c := range commands {
		_, helps[c], _ = crosswalk("", c, "--help")
		if strings.Contains(helps[c], "see crosswalk help limits") {
			helps[c] += limits
		}
	}
	found := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", "bin", "target", ".git"}, d.Name()):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".md"):
			return nil
		}
		page, err := os.ReadFile(path)
		for _, text := range code.FindAllString(string(page), -1) {
			for _, m := range named.FindAllStringSubmatch(text, -1) {
				found++
				if !slices.Contains(commands, m[1]) {
					t.Errorf("%s: there is no command crosswalk %s: %s", path, m[1], text)
					continue
				}
				for _, f := range flag.FindAllStringSubmatch(m[2], -1) {
					if listed := regexp.MustCompile("--" + f[1] + `[ \[\n]`); !listed.MatchString(helps[m[1]]) && f[1] != "help" {
						t.Errorf("%s: crosswalk %s has no flag --%s: %s", path, m[1], f[1], m[0])
					}
				}
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Fatalf("%d commands in pages: %v", found, err)
	}
}
