package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
)

// page returns an operator's page. It has no sizes and times, which change with every version of the
// SDK and every run.
func page(op *operator, index Index) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- written by make catalogue from deploy/catalogue/operators.yaml -->\n# %s %s\n\n", op.Name, op.Version)
	fmt.Fprintf(&b, "Modules of the conversions of %s, from the [catalogue](../../docs/use/catalogue.md).\n\n", op.link())
	b.WriteString("## Conversions\n\n| kind | versions | verdict | compared objects | code that ran | golden cases | image |\n|---|---|---|---|---|---|---|\n")
	var entries []Entry
	for _, e := range index.Entries {
		if e.Operator != op.Name {
			continue
		}
		entries = append(entries, e)
		image, verdict := "–", e.Verdict
		if e.Digest != "" {
			image = fmt.Sprintf("`%s:%s`", e.Repository, e.Version)
		} else {
			verdict += ", not published"
		}
		ran := "–"
		if e.Blocks > 0 {
			ran = fmt.Sprintf("%d of %d blocks", e.Ran, e.Blocks)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %d | %s |\n", e.Name(), strings.Join(e.Versions, ", "), verdict, e.Compared, ran, e.Cases, image)
	}
	b.WriteString("\n`make catalogue` built the modules from the operator's own code with this command and `--kind`:\n\n")
	fmt.Fprintf(&b, "    crosswalk adopt %s\n", strings.Join(op.patterns(), " \\\n        "))
	for _, e := range entries {
		writeEntry(&b, op, e)
	}
	fmt.Fprintf(&b, "\n## Retire the operator's webhook\n\nFollow [the steps for any operator](../../docs/author/adopt.md#retiring-the-operators-webhook). For %s:\n\n%s\n", op.Name, strings.TrimSpace(op.Retire))
	return b.String()
}

// writeEntry writes the losses of a kind, or why it is not published.
func writeEntry(b *strings.Builder, op *operator, e Entry) {
	if e.Digest == "" {
		fmt.Fprintf(b, "\n## %s is not published\n\n%s\n", e.Kind, strings.Join(e.Reasons, "\n\n"))
		return
	}
	if len(e.Accepted) > 0 {
		fmt.Fprintf(b, "\n## %s: not shown by the comparison, and accepted\n\n", e.Kind)
		for _, line := range e.Accepted {
			fmt.Fprintf(b, "- %s\n", strings.TrimPrefix(line, "accept "))
		}
	}
	fmt.Fprintf(b, "\n## Losses of %s\n\n", e.Kind)
	if len(e.Losses) == 0 {
		b.WriteString("`crosswalk fuzz` found none.\n")
		return
	}
	fmt.Fprintf(b, "The module converts as the operator's code does, with these losses and rejections, which `crosswalk fuzz` found. The sidecar acknowledges them, and `%s` lists each.\n\n", File)
	b.WriteString("| fields | ways | reason |\n|---|---|---|\n")
	var order []string
	groups := map[string]*explained{}
	for _, l := range e.Losses {
		g := groups[l.Reason]
		if g == nil {
			g = &explained{properties: map[string][]string{}}
			groups[l.Reason], order = g, append(order, l.Reason)
		}
		g.add(l)
	}
	for _, reason := range order {
		g := groups[reason]
		fmt.Fprintf(b, "| %s | %s | %s |\n", g.fields(), strings.Join(g.ways, ", "), strings.ReplaceAll(linked(op, reason), "|", `\|`))
	}
}

// explained are losses with one reason.
type explained struct {
	paths, ways []string
	properties  map[string][]string // by path
}

// empty is the property that a page shows for gains and losses of empty values.
const empty = "empty"

func (g *explained) add(l Loss) {
	property := l.Property
	if l.Class == fuzz.ClassEmpty {
		property = empty
	}
	if g.properties[l.Path] == nil {
		g.paths = append(g.paths, l.Path)
	}
	if !slices.Contains(g.properties[l.Path], property) {
		g.properties[l.Path] = append(g.properties[l.Path], property)
	}
	if way := l.From + arrow + l.To; !slices.Contains(g.ways, way) {
		g.ways = append(g.ways, way)
	}
}

// fields lists the paths with their properties.
func (g *explained) fields() string {
	var texts, empties []string
	for _, path := range g.paths {
		properties := slices.DeleteFunc(slices.Clone(g.properties[path]), func(p string) bool { return p == empty })
		if len(properties) == 0 {
			empties = append(empties, "`"+path+"`")
			continue
		}
		texts = append(texts, fmt.Sprintf("`%s` %s", path, strings.Join(properties, ", ")))
	}
	if len(empties) > 0 {
		texts = append(texts, "empty values gained or lost: "+strings.Join(empties, ", "))
	}
	return strings.Join(texts, "; ")
}

// linked makes a link of the source at the end of a reason.
func linked(op *operator, reason string) string {
	i := strings.LastIndex(reason, " (")
	if i < 0 || op.Web == "" {
		return reason
	}
	source := strings.TrimSuffix(reason[i+2:], ")")
	file, line, ok := strings.Cut(source, ":")
	if !ok {
		return reason
	}
	return fmt.Sprintf("%s ([%s](%s/%s#L%s))", reason[:i], source, op.Web, file, line)
}

// link is the operator's name, with a link to its repository.
func (o *operator) link() string {
	repository, _, ok := strings.Cut(o.Web, "/blob/")
	if !ok {
		return o.Name
	}
	return fmt.Sprintf("[%s](%s)", o.Name, repository)
}
