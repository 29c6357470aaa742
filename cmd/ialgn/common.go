package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/screen"
)

// The flags that several commands share.
var (
	jsonFlag    = &cli.BoolFlag{Name: "json", Usage: "print one JSON object on standard output"}
	quietFlag   = &cli.BoolFlag{Name: "quiet", Usage: "no progress on standard error"}
	threadsFlag = &cli.IntFlag{Name: "threads", Usage: "use `N` cores (default: all)"}
	engineFlag  = &cli.StringFlag{
		Name: "engine", Value: "auto",
		Usage: "classify by `ENGINE`: auto, native (machine code) or simulator",
	}
	dataFlag = &cli.StringFlag{
		Name:  "data",
		Usage: "look for data sets in `DIR` (default: $IALGN_DATA, then the user cache)",
	}
)

// everywhere are the flags of every command.
var everywhere = []cli.Flag{jsonFlag, threadsFlag, quietFlag, cli.HelpFlag}

// commonFlags adds the flags of every command but -h, which the parser adds.
func commonFlags(flags ...cli.Flag) []cli.Flag {
	return append(flags, jsonFlag, threadsFlag, quietFlag)
}

// grouped gives flags the title that the help of their command puts above them.
func grouped(title string, flags ...cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Category = title
		case *cli.IntFlag:
			f.Category = title
		case *cli.Float64Flag:
			f.Category = title
		case *cli.BoolFlag:
			f.Category = title
		}
	}
	return flags
}

// arguments returns exactly n arguments.
func arguments(c *cli.Context, n int) ([]string, error) {
	if c.Args().Len() == n {
		return c.Args().Slice(), nil
	}
	err := fmt.Errorf("%s takes %s, not %d arguments", c.Command.Name, c.Command.ArgsUsage, c.Args().Len())
	return nil, message.WithHint(err, "`ialgn %s -h` shows the form", c.Command.Name)
}

// begin does what every command begins with.
func begin(c *cli.Context) error {
	if err := joinRanks(c); err != nil {
		return err
	}
	if !c.Bool("quiet") {
		c.Context = screenOf(c).Watch(c.Context)
	}
	return limitCores(c)
}

// maxThreads bounds --threads: each thread takes memory, and no machine has that many cores.
const maxThreads = 4096

// limitCores limits the process to the cores that --threads allows.
func limitCores(c *cli.Context) error {
	n := c.Int("threads")
	if n < 0 {
		return fmt.Errorf("--threads %d: must be positive", n)
	}
	if n > maxThreads {
		return message.WithHint(fmt.Errorf("--threads %d: more than %d", n, maxThreads),
			"leave the option out for the %d cores of this machine", runtime.NumCPU())
	}
	runtime.GOMAXPROCS(n) // 0 changes nothing
	return checkDataFolder(c)
}

// checkDataFolder refuses a folder of data sets that is not there: a slip in its name would have
// others looked at in its place. A job of a cluster has it elsewhere.
func checkDataFolder(c *cli.Context) error {
	if !c.IsSet("data") || c.IsSet("emit") {
		return nil
	}
	dir := c.String("data")
	what := "there is no such folder"
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		what = "is a file, want a folder"
	}
	return message.WithHint(fmt.Errorf("--data %s: %s", dir, what),
		"name a folder with data sets, or leave the option out; `ialgn data list` says what it may hold")
}

// noteFewer says that there are fewer samples than --samples asks for, all of which are taken.
func noteFewer(c *cli.Context, asked, have int) {
	if c.IsSet("samples") && asked != ialgn.AllSamples && asked > have {
		note(c, "--samples %d: the test set has %d, which are all taken", asked, have)
	}
}

// threads returns the number of goroutines for work that is split among cores. It may
// be more than there are cores: the result does not depend on it.
func threads(c *cli.Context) int {
	return cmp.Or(c.Int("threads"), runtime.GOMAXPROCS(0))
}

func folders(c *cli.Context) []string { return dataset.Folders(c.String("data")) }

// dataOf says where data sets are looked for.
func dataOf(c *cli.Context) (d ialgn.Data) {
	if dir := c.String("data"); dir != "" {
		d.Folders = []string{dir}
	}
	return d
}

// foldersKey is where the list of the folders that a command made is in the metadata of the App.
const foldersKey = "folders"

// makeFolder makes the folder that an output goes to, if it is not there.
func makeFolder(c *cli.Context, path string) error {
	made := c.App.Metadata[foldersKey].(*[]string)
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		*made = append(*made, at)
	}
	err := os.MkdirAll(path, 0o777)
	var cause *fs.PathError
	if errors.As(err, &cause) {
		return message.WithHint(fmt.Errorf("%s: cannot be made a folder (%w)", path, cause.Err), "name another place with -o")
	}
	return err
}

// removeEmpty removes folders that a command made and left empty, the deepest first.
func removeEmpty(made []string) {
	slices.SortFunc(made, func(a, b string) int { return len(b) - len(a) })
	for _, path := range made {
		os.Remove(path) // which fails for one with files
	}
}

// report is what a command found: one struct for both forms of output.
type report interface {
	text(w io.Writer)
}

// paper is what the text of a report is written on before it is shown.
type paper struct {
	bytes.Buffer
	colours bool
}

// Colours implements [screen.Coloured].
func (p *paper) Colours() bool { return p.colours }

// show prints a report in the form that was asked for.
func show(c *cli.Context, r report) error {
	if !c.Bool("json") {
		b := paper{colours: screen.Colours(c.App.Writer)}
		r.text(&b)
		_, err := io.WriteString(c.App.Writer, screen.Visible(b.String(), b.colours))
		return err
	}
	enc := json.NewEncoder(c.App.Writer)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// note writes a line for the user beside the result, unless --quiet.
func note(c *cli.Context, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, format+"\n", args...)
	}
}

// screenOf returns standard error of a command.
func screenOf(c *cli.Context) *screen.Screen { return c.App.ErrWriter.(*screen.Screen) }

// warn tells in one line of what went wrong while the command goes on, with --quiet too.
func warn(s *screen.Screen, err error) {
	fmt.Fprintf(s, "ialgn: %s %s\n", screen.Paint(s, screen.Yellow, "warning:"), screen.OneLine(say(err)))
}

// notes returns what writes a note, and what writes a warning.
func notes(c *cli.Context) (toNote func(text string), toWarn func(error)) {
	return func(text string) { note(c, "%s", text) }, func(err error) {
		if remedy := message.HintIn(err, message.Flags); remedy != "" {
			err = fmt.Errorf("%w; %s", err, remedy)
		}
		warn(screenOf(c), err)
	}
}

// percent formats a share as the field does.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
