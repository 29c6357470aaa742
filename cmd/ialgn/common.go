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

// These flags are shared by several commands.
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

// everywhere lists the flags that every command has.
var everywhere = []cli.Flag{jsonFlag, threadsFlag, quietFlag, cli.HelpFlag}

// commonFlags adds the flags of every command, except -h, which the parser adds.
func commonFlags(flags ...cli.Flag) []cli.Flag {
	return append(flags, jsonFlag, threadsFlag, quietFlag)
}

// grouped sets the group of flags. The command's help lists the flags under the title of the group.
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
		case *cli.StringSliceFlag:
			f.Category = title
		}
	}
	return flags
}

// arguments returns the command's arguments, or an error if there are not exactly n.
func arguments(c *cli.Context, n int) ([]string, error) {
	if c.Args().Len() == n {
		return c.Args().Slice(), nil
	}
	err := fmt.Errorf("%s takes %s, not %d arguments", c.Command.Name, c.Command.ArgsUsage, c.Args().Len())
	return nil, message.WithHint(err, "`ialgn %s -h` shows the usage", c.Command.Name)
}

// begin runs before every command.
func begin(c *cli.Context) error {
	if err := joinRanks(c); err != nil {
		return err
	}
	if !c.Bool("quiet") {
		c.Context = screenOf(c).Watch(c.Context)
	}
	return limitCores(c)
}

// maxThreads is the maximum of --threads. Each thread takes memory, and no machine has more cores.
const maxThreads = 4096

// limitCores limits the process to the number of cores in --threads.
func limitCores(c *cli.Context) error {
	n := c.Int("threads")
	if n < 0 {
		return fmt.Errorf("--threads %d: must be positive", n)
	}
	if n > maxThreads {
		return message.WithHint(fmt.Errorf("--threads %d: more than %d", n, maxThreads),
			"without the option, all %d cores of this machine are used", runtime.NumCPU())
	}
	runtime.GOMAXPROCS(n) // 0 changes nothing
	return checkDataFolder(c)
}

// checkDataFolder returns an error if the --data folder does not exist. Without this check, a typing error in the
// folder's name would make the program search other folders. With --emit there is no check, since the folder may
// exist only on the cluster.
func checkDataFolder(c *cli.Context) error {
	if !c.IsSet("data") || c.IsSet("emit") {
		return nil
	}
	dir := c.String("data")
	what := "no such folder"
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		what = "a file, want a folder"
	}
	return message.WithHint(fmt.Errorf("--data %s: %s", dir, what),
		"name a folder with data sets, or omit the option; `ialgn data list` shows the files of each data set")
}

// noteFewer notes that the test set has fewer samples than --samples asks for.
func noteFewer(c *cli.Context, asked, have int) {
	if c.IsSet("samples") && asked != ialgn.AllSamples && asked > have {
		note(c, "--samples %d: the test set has only %d samples, all are used", asked, have)
	}
}

// threads returns the number of goroutines for work that is split among cores. The number may exceed the number of
// cores, because results do not depend on the number of goroutines.
func threads(c *cli.Context) int {
	return cmp.Or(c.Int("threads"), runtime.GOMAXPROCS(0))
}

func folders(c *cli.Context) []string { return dataset.Folders(c.String("data")) }

// dataOf returns the folders in which data sets are searched.
func dataOf(c *cli.Context) (d ialgn.Data) {
	if dir := c.String("data"); dir != "" {
		d.Folders = []string{dir}
	}
	return d
}

// foldersKey is the key in the App's metadata for the list of folders that a command made.
const foldersKey = "folders"

// makeFolder makes the folder for an output if it does not exist.
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
		return message.WithHint(fmt.Errorf("%s: the folder cannot be created (%w)", path, cause.Err),
			"name another place with -o")
	}
	return err
}

// removeEmpty removes the folders that a command made and left empty. It removes the deepest folders first.
func removeEmpty(made []string) {
	slices.SortFunc(made, func(a, b string) int { return len(b) - len(a) })
	for _, path := range made {
		os.Remove(path) // fails if the folder has files
	}
}

// report is the result of a command. The same struct is printed as text and as JSON.
type report interface {
	text(w io.Writer)
}

// paper is the buffer into which the text of a report is written before it is shown.
type paper struct {
	bytes.Buffer
	colours bool
}

// Colours implements [screen.Coloured].
func (p *paper) Colours() bool { return p.colours }

// show prints a report as text or, with --json, as JSON.
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

// note writes a line to standard error, unless --quiet is set.
func note(c *cli.Context, format string, args ...any) {
	if !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, format+"\n", args...)
	}
}

// screenOf returns the standard error of a command.
func screenOf(c *cli.Context) *screen.Screen { return c.App.ErrWriter.(*screen.Screen) }

// warn writes a warning in one line, even with --quiet. The command continues.
func warn(s *screen.Screen, err error) {
	fmt.Fprintf(s, "ialgn: %s %s\n", screen.Paint(s, screen.Yellow, "warning:"), screen.OneLine(say(err)))
}

// notes returns a function that writes notes, and a function that writes warnings.
func notes(c *cli.Context) (toNote func(text string), toWarn func(error)) {
	return func(text string) { note(c, "%s", text) }, func(err error) {
		if remedy := message.HintIn(err, message.Flags); remedy != "" {
			err = fmt.Errorf("%w; %s", err, remedy)
		}
		warn(screenOf(c), err)
	}
}

// percent formats a share as a percentage with two decimals.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
