// Package statuspage draws the status page: a line for each kind, which unfolds to its conversions,
// modules and last failure; and recent events. The page is one HTML document without external assets.
// It works without scripts; with scripts it refreshes itself and filters kinds.
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

// View is the content of the page. The page escapes all texts.
type View struct {
	Version  string
	NotReady string    // the reason why the gateway is not ready yet; empty if it is ready
	Problems []string  // of the whole gateway, such as an unreadable directory
	Started  time.Time // of the process
	Now      time.Time
	Kinds    []Kind    // the worst first
	Files    []Module  // that belong to no kind
	Pulled   time.Time // when a registry last had the modules; zero if they come from elsewhere
	Events   []Event   // newest first
	Links    []Link
}

// Kind is one kind with the work of the last minutes: a line that unfolds.
type Kind struct {
	Name        string // <Kind>.<group>; also the anchor
	Owner       string // of its modules; empty without owners
	Status      string // one or two words, such as serving or failing
	State       State
	Versions    string // the oldest first, such as "v1, v2 (storage)"
	Work        Work
	Failing     bool // Failure belongs to the last minutes
	Failure     *Failure
	Trouble     string // of the worst file, or what is missing; shown unless Failing
	Conversions []Conversion
	Missing     []string // conversions that an API server may ask for and no module does
	Modules     []Module // and definitions of the kind
}

// Work is the work of the last minutes. Rate and Median are empty without reviews, and Failed, such
// as "3 of 4", without failures.
type Work struct{ Rate, Median, Failed string }

// Failure is the last failed review.
type Failure struct {
	At      time.Time
	Message string // names the object
	UID     string // of the review
}

// Conversion is a conversion in one direction.
type Conversion struct {
	From, To string
	State    State
	Work     Work
}

// State is the health of a kind, a module, a conversion or an event.
type State string

// The states, from good to bad.
const (
	Good State = "good"
	Note State = "note" // serving, with a change in progress
	Warn State = "warn"
	Bad  State = "bad"
)

// Module is a file of the module directory.
type Module struct {
	File    string
	Status  string // one word, such as serving or failed
	State   State
	Digest  string // shortened
	Facts   string
	Trouble string // the problem, if there is one
}

// Event is an event of a module.
type Event struct {
	At   time.Time
	What string // the event in words, such as replaced
	File string
	Why  string // the cause or details
	State
}

// Link is a link to another page.
type Link struct{ Path, What string }

// Handler serves the page. It calls view for each request, from several goroutines.
func Handler(view func() View) http.Handler {
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"ago": ago, "clock": func(t time.Time) string { return t.UTC().Format("15:04:05") },
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

// hash returns the source expression of a content security policy that allows an inline style or
// script.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// ago returns the time since then, in words.
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
