package main

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/crosswalk-gateway/crosswalk/docs"
)

// documentation serves the pages of the documentation below /docs/, so that the runbook of an alert can
// be read where no site is reached. It is safe for concurrent use.
var documentation = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/docs/")
	if page, ok := documentationPages()[name]; ok {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	} else if page, err := docs.Find(name); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	} else {
		http.Redirect(w, r, "/docs/"+page.Path, http.StatusFound) // links between pages are relative to its directory
	}
})

// documentationPages returns all pages in HTML, by path, and the list of them without one. They are made
// once, because no request for them is charged to anybody.
var documentationPages = sync.OnceValue(func() map[string]string {
	list := documentationHead
	pages := map[string]string{}
	for _, p := range docs.All() {
		list += fmt.Sprintf("<a href=\"/docs/%s\">%s</a>\n", p.Path, html.EscapeString(p.Title()))
		pages[p.Path] = documentationHead + inHTML(p.Text)
	}
	pages[""] = list
	return pages
})

// inHTML returns Markdown as it is, with headings and links that work.
func inHTML(markdown string) string {
	var b strings.Builder
	for line := range docs.Lines(markdown) {
		text := linkInPage.ReplaceAllString(html.EscapeString(line.Text), `<a href="$2">$1</a>`)
		if line.Level > 0 {
			text = "<b>" + text + "</b>"
		}
		if line.Anchor != "" {
			text = fmt.Sprintf("<span id=%q>%s</span>", line.Anchor, text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// linkInPage is a link to a page of the documentation or a section, of which the others stay text.
var linkInPage = regexp.MustCompile(`\[([^\]]+)\]\(((?:\.\./)?(?:[a-z]+/)?(?:[a-z-]+\.md)?(?:#[a-z0-9_-]+)?)\)`)

const documentationHead = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Crosswalk: documentation</title>
<style>:root{color-scheme:light dark}pre{white-space:pre-wrap;max-width:150ch;margin:2em auto}:target{background:Mark;color:MarkText}</style>
<p><a href="/">Status</a> · <a href="/docs/">All pages</a></p><pre>
`
