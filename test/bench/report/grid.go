package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// grid is a table: a row of headings and rows of cells.
type grid [][]string

// text formats the table for a terminal.
func (g grid) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range g {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	w.Flush()
	return b.String()
}

// markdown formats the table for a document, all columns but the first aligned to the right.
func (g grid) markdown() string {
	var b strings.Builder
	for i, row := range g {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---|" + strings.Repeat("---:|", len(row)-1) + "\n")
		}
	}
	return b.String()
}

// number formats a value with three significant digits.
func number(v float64) string {
	switch {
	case v >= 100:
		return thousands(int64(v + 0.5))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// thousands formats a number with a comma between groups of three digits.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// size formats the key "0.9k" as "0.9 KB".
func size(object string) string {
	if digits, ok := strings.CutSuffix(object, "k"); ok {
		return digits + " KB"
	}
	if digits, ok := strings.CutSuffix(object, "M"); ok {
		return digits + " MiB"
	}
	return object
}

// count formats the key "1000" as "1,000".
func count(batch string) string {
	n, err := strconv.ParseInt(batch, 10, 64)
	if err != nil {
		return batch
	}
	return thousands(n)
}
