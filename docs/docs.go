// Package docs embeds the reference pages into the program. `ialgn help` and the man pages show parts of them, so
// there is no second copy of their text.
package docs

import _ "embed" // for the pages

// The reference pages.
var (
	//go:embed CLI.md
	CLI string // the command line
	//go:embed CONFIG.md
	Config string // the configuration file
)
