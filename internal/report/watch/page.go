package watch

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
)

// These are the template of the page, its style and its script.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string

	page = template.Must(template.New("page").Parse(pageHTML))
)

// policy returns the page's content security policy. The page may use its own script and style. If live is true, it
// may also ask the program for data.
func policy(live bool) string {
	text := "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; script-src " + digest(pageJS) +
		"; style-src " + digest(pageCSS)
	if live {
		text += "; connect-src 'self'"
	}
	return text
}

// digest returns the expression that allows a script or style with the given text in a policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// write writes the page for a snapshot.
func write(w io.Writer, version string, s Snapshot) error {
	return page.Execute(w, struct {
		Policy, Version string
		Style           template.CSS
		Script          template.JS
		View            Snapshot
	}{policy(s.Live), version, template.CSS(pageCSS), template.JS(pageJS), s}) // #nosec: both are the program's own
}
