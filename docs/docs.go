// Package docs is the reference pages, as part of the program: `ialgn help` shows parts of them, and man pages have
// others, so that there is no second copy of what they say.
package docs

import _ "embed" // for the pages

// The pages.
var (
	//go:embed reference/cli.md
	CLI string // the command line
	//go:embed reference/config.md
	Config string // the configuration file
)
