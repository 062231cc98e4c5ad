package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// figure is a target and its measurement, for one or several modules or for the gateway as a whole.
type figure struct {
	name      string
	aim       float64
	atMost    bool               // the aim is an upper bound; else a lower one
	aims      map[string]float64 // by module, where it differs from aim
	limit     string             // the limiting factor, shown if the target is missed
	limits    map[string]string  // by module, where it differs from limit
	languages []string           // of the modules; empty for the whole gateway
	got       func(language string) (value float64, measured bool)
}

// of returns the measurement of a module and whether it meets the target.
func (f figure) of(language string) (got float64, measured, met bool) {
	aim, ok := f.aims[language]
	if !ok {
		aim = f.aim
	}
	got, measured = f.got(language)
	if f.atMost {
		return got, measured, measured && got <= aim
	}
	return got, measured, measured && got >= aim
}

// modules returns the figure's modules. A module without a name stands for the gateway.
func (f figure) modules() []string {
	if len(f.languages) == 0 {
		return []string{""}
	}
	return f.languages
}

// count returns the number of modules that were measured, and how many of them meet the target.
func (f figure) count() (met, measured int) {
	for _, l := range f.modules() {
		_, known, reached := f.of(l)
		if known {
			measured++
		}
		if reached {
			met++
		}
	}
	return met, measured
}

// target formats the target: "≤ 15", or "≤ 15; Go ≤ 350".
func (f figure) target() string {
	bound := "≥ "
	if f.atMost {
		bound = "≤ "
	}
	var all []string
	if f.aim != 0 {
		all = append(all, bound+aimed(f.aim))
	}
	for _, l := range f.languages {
		if aim, ok := f.aims[l]; ok {
			all = append(all, title(l)+" "+bound+aimed(aim))
		}
	}
	return strings.Join(all, "; ")
}

func aimed(aim float64) string { return strconv.FormatFloat(aim, 'g', -1, 64) }

// measured formats the measurements, missed targets in bold.
func (f figure) measured() string {
	var all, missing []string
	for _, l := range f.modules() {
		got, measured, met := f.of(l)
		text := strings.TrimSpace(title(l) + " " + number(got))
		switch {
		case !measured:
			missing = append(missing, title(l))
		case met:
			all = append(all, text)
		default:
			all = append(all, "**"+text+"**")
		}
	}
	switch {
	case len(all) == 0:
		return "not in this run"
	case len(missing) > 0:
		all = append(all, "not in this run: "+strings.Join(missing, ", "))
	}
	return strings.Join(all, "; ")
}

// verdict formats how many modules meet the target.
func (f figure) verdict() string {
	met, measured := f.count()
	switch {
	case measured == 0:
		return "–"
	case measured == 1 && met == 1:
		return "yes"
	case measured == 1:
		return "**no**"
	case met == measured:
		return fmt.Sprintf("all %d", measured)
	case met == 0:
		return fmt.Sprintf("**none of %d**", measured)
	}
	return fmt.Sprintf("**%d of %d**", met, measured)
}

// missed returns the limits of the modules that miss the target, each once.
func (f figure) missed() []string {
	var all []string
	for _, l := range f.modules() {
		_, measured, met := f.of(l)
		if limit := cmp.Or(f.limits[l], f.limit); measured && !met && !slices.Contains(all, limit) {
			all = append(all, limit)
		}
	}
	return all
}

// targets returns the table of the figures, with or without those that were not measured, and the
// notes to which its last column refers.
func (r *results) targets(all bool) (g grid, notes []string) {
	g = grid{{"figure", "target", "measured", "met", "limited by"}}
	for _, f := range r.figures() {
		if _, measured := f.count(); !all && measured == 0 {
			continue
		}
		var numbers []string
		for _, limit := range f.missed() {
			at := slices.Index(notes, limit)
			if at < 0 {
				at, notes = len(notes), append(notes, limit)
			}
			numbers = append(numbers, strconv.Itoa(at+1))
		}
		g = append(g, []string{f.name, f.target(), f.measured(), f.verdict(), strings.Join(numbers, ", ")})
	}
	return g, notes
}

// numbered formats notes as a numbered list.
func numbered(notes []string) string {
	var b strings.Builder
	for i, note := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, note)
	}
	return b.String()
}

// reached formats how many of the measured targets are met, counted by module, and how many figures
// every module meets.
func (r *results) reached() string {
	var met, measured, whole, figures int
	for _, f := range r.figures() {
		m, n := f.count()
		met, measured = met+m, measured+n
		if n > 0 {
			figures++
			if m == n {
				whole++
			}
		}
	}
	return fmt.Sprintf("%d of %d targets are met, counted by module; every measured module meets %d of the %d figures", met, measured, whole, figures)
}
