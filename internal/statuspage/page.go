// Package statuspage draws what an operator wants to see at a glance: which conversions there are and who does them, what is missing, what
// changed, and how it goes. The page is one HTML document without external assets; it works without scripts, and with them keeps
// itself up to date.
package statuspage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

//go:embed page.css
var css string

//go:embed page.js
var script string

//go:embed page.html
var page string

// View is what the page shows. All texts are shown as they are and need no escaping.
type View struct {
	Version  string
	NotReady string    // why reviews cannot be answered yet; empty when they can
	Problem  string    // what is wrong as a whole, such as a directory that cannot be read; empty if nothing is
	Started  time.Time // of the process
	Now      time.Time
	Trends   []Trend
	Kinds    []Kind
	Modules  []Module
	Events   []Event // newest first
	Links    []Link
}

// Trend is a figure over time.
type Trend struct {
	Name   string
	Now    string    // the newest value with its unit
	Values []float64 // oldest first, evenly spaced; drawn from zero up
	Bad    bool      // whether anything above zero is bad news
	Window string    // how far back the values go, in words
}

// Kind is the conversion graph of one kind.
type Kind struct {
	Name     string // <Kind>.<group>
	Versions []Version
	Edges    []Edge
	Missing  []string // conversions that an API server may ask for and nobody does, in words
	Trends   []Trend
}

// Version is a node of the graph; Note says more about it, such as "storage".
type Version struct{ Name, Note string }

// Edge is one direction that a module converts.
type Edge struct {
	From, To string
	Label    string // on the edge
	Short    string // the same where Label would reach into the next one
	Title    string // the same at length, for whoever points at it
	State    State
}

// State is how well something is.
type State string

// The states, from good to bad.
const (
	Good State = "good"
	Note State = "note" // serving, and something about it is being tried
	Warn State = "warn"
	Bad  State = "bad"
)

// Module is a file of the module directory.
type Module struct {
	File    string
	Status  string // in a word: serving, failed
	State   State
	Digest  string // shortened
	Facts   []Fact
	Trouble string // what is wrong with it, in words; empty if nothing is
}

// Fact is a name and a value.
type Fact struct{ Name, Value string }

// Event is something that happened to a module.
type Event struct {
	At   time.Time
	What string // in words: replaced
	File string
	Why  string // more about it
	State
}

// Link leads to another page.
type Link struct{ Path, What string }

// Handler serves the page; view is asked for every request and may be called by several goroutines.
func Handler(view func() View) http.Handler {
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"graph": graph, "wide": wide, "tips": tips, "sparkline": sparkline, "ago": ago, "clock": func(t time.Time) string { return t.UTC().Format("15:04:05") },
		"css": func() template.CSS { return template.CSS(css) }, "script": func() template.JS { return template.JS(script) },
	}).Parse(page))
	policy := fmt.Sprintf("default-src 'none'; connect-src 'self'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", hash(css), hash(script))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		if err := t.Execute(&b, view()); err != nil {
			http.Error(w, "drawing the status page: "+err.Error(), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(b.Bytes())
	})
}

// hash is how a content security policy names what may be in a page.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// ago says how long something has been, in words.
func ago(now, then time.Time) string {
	d := now.Sub(then)
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}
