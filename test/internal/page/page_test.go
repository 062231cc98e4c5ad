package page

import (
	"strings"
	"testing"
)

const text = `# A page

    $ crosswalk plan a.example.com
    a.example.com: store v2
      1  DONE     the stored objects convert
                  7 objects converted between v2, v1 and back
      …
      9  DONE     the end

Text.

    indented, but not below a command
`

func TestCompare(t *testing.T) {
	all := blocks(text)
	block, there := all["crosswalk plan a.example.com"]
	if len(all) != 1 || !there {
		t.Fatalf("%+v", all)
	}
	const output = `a.example.com: store v2
  1  DONE     the stored objects convert
              500 objects converted there and back
              1 object converted between v2, v1 and back
  2  DONE     another
  9  DONE     the end
`
	for _, c := range []struct{ name, before, after, want string }{
		{"the same", "", "", ""},
		{"nothing is left out", "  2  DONE     another\n", "", ""},
		{"another first line", "a.example.com: store v2\n", "$0\n", "line 1 of the page"},
		{"a line before the first", "a.example.com", "warning\na.example.com", "line 1 of the page"},
		{"another state", "1  DONE   ", "1  READY  ", "line 2 of the page"},
		{"a line that the page lacks", "  2  DONE ", "              evidence\n  2  DONE ", ""},
		{"a line that the page lacks, and does not leave out", "              1 object", "              evidence\n              1 object", "line 3 of the page"},
		{"a line at the end", "the end\n", "the end\nmore\n", "does not show line 6"},
		{"no last line", "  9  DONE     the end\n", "", "line 5 of the page"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := block.Compare(strings.Replace(output, c.before, c.after, 1))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
