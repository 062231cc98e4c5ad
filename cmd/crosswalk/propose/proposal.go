package propose

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/internal/plural"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/syntax"
)

// Proposal is rules for a kind that are proposed, and may be withdrawn before they are written.
type Proposal struct {
	Kind, Group string
	Pairs       []*Pair  // of neighbouring versions
	Unseen      []string // the numbers of fields that were not compared: "12 of v1"
	Verified    []string // sentences about the verification
	Others      []Loss   // that no rule is about
	NoSchemas   bool     // no schema was read, so that nothing is proposed
	Definition  string   // the file with the definition, by its path from the rules; "" for crd.yaml
}

// Loss is something that a proposal does not convert correctly.
type Loss struct {
	Kind string // of losses that are one, in several directions
	Way  string // the direction
	Text string // with an object on a second line
}

// Pair is the rules between two versions.
type Pair struct {
	From, To string
	Rules    []*Rule
	Offers   []string // rules that may be right instead: the reason, and one rule a line
	Observed int      // number of objects that are given in both versions
	Seen     []string // relations of their values that have no rule
	Ignored  []string // objects that were not compared, and why
}

// Rule is one proposed rule.
type Rule struct {
	Text   string    // of the rule, without braces
	Reason string    // for it
	Paths  [2]string // in both versions; "" where the field does not exist
	Lost   []Loss    // by the rule

	off     string   // why it is written as a comment; "" if it is not
	shown   bool     // objects show that it is right
	alone   string   // the text before the dropped field depended on the object around it
	shared  []string // objects around the field that both versions have
	with    []*Rule  // rules that complete it
	instead []*Rule  // rules if it is off; nil if it has to stay
	at      int      // its place in the last Text
}

// Guess reports whether the rule is active, and can be withdrawn.
func (r *Rule) Guess() bool { return r.off == "" && r.instead != nil }

// Withdraw makes the rule a comment, and lets the rules that do without it take its place.
func (r *Rule) Withdraw(why string) { r.off = why }

// All returns the active rules of the pair.
func (p *Pair) All() (all []*Rule) {
	for _, r := range p.Rules {
		if r.off != "" {
			all = append(all, r.instead...)
		} else {
			all = append(append(all, r), r.with...)
		}
	}
	return all
}

// Ignored returns sentences about the objects that were not compared.
func (p *Proposal) Ignored() (all []string) {
	for _, pair := range p.Pairs {
		for _, text := range pair.Ignored {
			all = append(all, "not compared: "+text)
		}
	}
	return all
}

// JoinLosses makes one of the losses of a kind, and returns the number of those that are left.
func (p *Proposal) JoinLosses() (n int) {
	p.Others = oneOfEach(p.Others)
	n = len(p.Others)
	for _, pair := range p.Pairs {
		for _, r := range pair.All() {
			r.Lost = oneOfEach(r.Lost)
			n += len(r.Lost)
		}
	}
	return n
}

func oneOfEach(all []Loss) (kept []Loss) {
	for _, l := range all {
		i := slices.IndexFunc(kept, func(other Loss) bool { return other.Kind == l.Kind })
		if i < 0 {
			kept = append(kept, l)
			continue
		}
		first, object, _ := strings.Cut(kept[i].Text, "\n")
		if !strings.Contains(first, l.Way) {
			kept[i].Text = first + ", also " + l.Way + "\n" + object
		}
	}
	return kept
}

// lineIn finds the lines of other rules that a mistake names.
var lineIn = regexp.MustCompile(`\bline ([0-9]+)\b`)

// WithdrawAt withdraws the guesses in which Parse found mistakes, and returns their
// number.
func (p *Proposal) WithdrawAt(err error) (n int) {
	var mistakes []syntax.Error
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			if e := (syntax.Error{}); errors.As(one, &e) {
				mistakes = append(mistakes, e)
			}
		}
	}
	at := p.lines()
	for _, e := range mistakes {
		lines := []int{e.Line}
		for _, m := range lineIn.FindAllStringSubmatch(e.Text, -1) {
			line, _ := strconv.Atoi(m[1])
			lines = append(lines, line)
		}
		for _, line := range lines {
			if r := at[line]; r != nil && r.Guess() {
				r.Withdraw(lineIn.ReplaceAllString(e.Text, "another line"))
				n++
			}
		}
	}
	return n
}

// lines returns the rules by their lines in the last Text.
func (p *Proposal) lines() map[int]*Rule {
	all, text, line, at := map[int]*Rule{}, p.Text(), 1, 0
	for _, pair := range p.Pairs {
		for _, r := range pair.All() {
			line += bytes.Count(text[at:r.at], []byte("\n"))
			all[line], at = r, r.at
		}
	}
	return all
}

// Text returns the file.
func (p *Proposal) Text() []byte {
	var b strings.Builder
	origin := `proposed from the differences of its schemas. Schemas do not say which fields mean the same:
# check every rule, and write rules for the fields that are dropped although the other version has them in another form.`
	if p.NoSchemas {
		origin = `for you to write: no schema was read. With --crd FILE, crosswalk init proposes rules.`
	}
	fmt.Fprintf(&b, `# yaml-language-server: $schema=rules.schema.json
# Rules of %[1]s.%[2]s, %[3]s
# All rules: https://github.com/crosswalk-gateway/crosswalk/blob/main/docs/author/rules.md. Compile them with: crosswalk compile rules.yaml
`, p.Kind, p.Group, origin)
	for _, sentence := range p.Verified {
		comment(&b, "", sentence)
	}
	if len(p.Unseen) > 0 {
		comment(&b, "", "Not compared, because they are too deep, too many, or have a name that rules cannot write: "+strings.Join(p.Unseen, ", ")+" fields.")
	}
	if len(p.Others) > 0 {
		comment(&b, "", "Not converted correctly, and no single rule is the cause:")
		for _, lost := range p.Others {
			comment(&b, "  ", lost.Text)
		}
	}
	fmt.Fprintf(&b, "kind: %s\ngroup: %s\n", p.Kind, p.Group)
	if p.Definition != "" {
		fmt.Fprintf(&b, "crd: %q\n", p.Definition)
	}
	b.WriteString("conversions:\n")
	for _, pair := range p.Pairs {
		pair.write(&b, p.NoSchemas)
	}
	return []byte(b.String())
}

func (p *Pair) write(b *strings.Builder, noSchemas bool) {
	fmt.Fprintf(b, "- from: %s\n  to: %s\n", p.From, p.To)
	var shared []string
	for _, r := range p.Rules {
		for _, object := range r.shared {
			if r.off == "" && !slices.Contains(shared, object) {
				shared = append(shared, object)
			}
		}
	}
	if len(shared) > 0 {
		fmt.Fprintf(b, "  shared: [%s]\n", strings.Join(shared, ", "))
	}
	if len(p.All()) == 0 {
		b.WriteString("  rules: []\n")
	} else {
		b.WriteString("  rules:\n")
	}
	if len(p.Rules) == 0 && !noSchemas {
		comment(b, "  ", "The schemas name the same fields.")
	}
	for _, r := range p.Rules {
		r.write(b)
	}
	if p.Observed > 0 {
		comment(b, "  ", fmt.Sprintf("The values of %s in both versions were compared.", plural.Count(p.Observed, "object")))
	}
	for _, seen := range p.Seen {
		comment(b, "  ", "Not a rule: "+seen+".")
	}
	for _, ignored := range p.Ignored {
		comment(b, "  ", "Not compared: "+ignored+".")
	}
	for _, offer := range p.Offers {
		comment(b, "  ", "Perhaps, "+offer)
	}
}

func (r *Rule) write(b *strings.Builder) {
	comment(b, "  ", r.Reason)
	if r.off != "" {
		comment(b, "  ", "- {"+r.Text+"}\nThe rule is off: "+r.off)
		for _, other := range r.instead {
			other.write(b)
		}
		return
	}
	for _, lost := range r.Lost {
		comment(b, "  ", "It loses: "+lost.Text)
	}
	r.at = b.Len()
	fmt.Fprintf(b, "  - {%s}\n", r.Text)
	for _, other := range r.with {
		other.write(b)
	}
}

// comment writes lines as a comment. It escapes all but ASCII: YAML knows more ends of a line than
// the line feed, and names of fields are another person's.
func comment(b *strings.Builder, indent, text string) {
	for i, line := range strings.Split(text, "\n") {
		b.WriteString(indent + "# ")
		if i > 0 && !strings.HasPrefix(line, "- {") {
			b.WriteString("  ")
		}
		for _, c := range line {
			switch {
			case c >= ' ' && c <= '~', c == '→', c == '…':
				b.WriteRune(c)
			case c > 0xffff:
				high, low := utf16.EncodeRune(c)
				fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
			default:
				fmt.Fprintf(b, `\u%04x`, c)
			}
		}
		b.WriteByte('\n')
	}
}
