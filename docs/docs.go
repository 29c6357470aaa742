// Package docs embeds the reference pages into the program. `ialgn help` and the man pages show parts of them, so the
// text exists only once.
package docs

import _ "embed" // for the reference pages

// These are the reference pages.
var (
	//go:embed reference/cli.md
	CLI string // the command line
	//go:embed reference/config.md
	Config string // the configuration file
)
