package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/flow/synth"
	"ialgn/internal/atomicfile"
	"ialgn/internal/hint"
	"ialgn/internal/jsonfault"
	"ialgn/internal/overwrite"
	reports "ialgn/report"
	"ialgn/trainer"
	"ialgn/trainer/model"
)

// pageName is the page's name in the folder that it is about.
const pageName = "report.html"

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "one page in HTML about a compiled folder and its model",
		ArgsUsage: "DIR",
		Description: "The configuration, training curves, confusion matrix, operations, effective depth,\n" +
			"area and levels by part and pass, and what verify and synth found. The page is one\n" +
			"file that fetches nothing. Its model is looked for in DIR and beside it.",
		UsageText: "ialgn report demo/digits",
		Flags: everywhere(
			&cli.StringFlag{Name: "o", Usage: "write the page to `FILE` (default: DIR/" + pageName + ")"},
			&cli.StringFlag{Name: "model", Usage: "the model that DIR was compiled from is `MODEL`"},
			dataFlag, forceFlag,
		),
		Action: writePage,
	}
}

func writePage(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	out, err := artifact.Read(args[0])
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		path = filepath.Join(out.Dir, pageName)
	}
	if err := atomicfile.Check(path); err != nil {
		return hint.With(fmt.Errorf("%s: %w", path, err), "name another file with -o")
	}
	if err := guard(c).Check(path, overwrite.Page); err != nil {
		return err
	}
	page, err := newPage(c, out)
	if err != nil {
		return err
	}
	html, err := page.HTML()
	if err != nil {
		return err
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(html)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return show(c, pageReport{path, len(html)})
}

// pageReport is what the command prints.
type pageReport struct {
	Report string `json:"report"`
	Bytes  int    `json:"bytes"`
}

func (r pageReport) text(w io.Writer) { fmt.Fprintln(w, r.Report) }

// newPage reads all that is known of a folder and its model.
func newPage(c *cli.Context, out *artifact.Output) (*reports.Page, error) {
	p := &reports.Page{Version: version, Output: out}
	file, err := modelOf(c, out)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p.ModelFile = filepath.Base(file.Path())
	if p.Info, err = file.Info(); err != nil {
		return nil, err
	}
	p.Info.Model.Config.Data.Beside = filepath.Dir(file.Path())
	f, err := file.Frozen()
	if err != nil {
		return nil, err
	}
	p.Statistics = analyzeModel(file.Path(), f).statistics("")
	if err := testPage(c, p, f); err != nil {
		return nil, err
	}
	if p.Verified, err = out.Certificate(); err != nil {
		return nil, err
	}
	p.Synthesis, err = syntheses(out.Dir)
	return p, err
}

// modelOf opens the file of the model that a folder was compiled from: the one that --model names,
// else the one with the manifest's SHA-256 in the folder or beside it.
func modelOf(c *cli.Context, out *artifact.Output) (*model.File, error) {
	if path := c.String("model"); path != "" {
		file, err := model.Open(path)
		if err != nil {
			return nil, hint.With(fmt.Errorf("--model: %w", err), "name the model that %s was compiled from", out.Dir)
		}
		if err := checkCompiledFrom(c.Context, out, file); err != nil {
			file.Close()
			return nil, err
		}
		return file, nil
	}
	for _, dir := range []string{out.Dir, filepath.Join(out.Dir, "..")} {
		names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.safetensors"))
		if err != nil {
			return nil, err
		}
		for _, path := range names {
			file, err := model.Open(path)
			if err != nil {
				continue // not ours
			}
			if err := checkCompiledFrom(c.Context, out, file); err == nil {
				return file, nil
			}
			file.Close()
			if c.Err() != nil {
				return nil, c.Err()
			}
		}
	}
	wanted := out.Manifest.Model
	return nil, hint.With(fmt.Errorf("%s: the model that it was compiled from, %q with SHA-256 %s, is neither there nor beside it", out.Dir, wanted.Name, wanted.SHA256),
		"name it with --model MODEL")
}

// escapeGlob returns a folder's name as a pattern that matches that name alone.
func escapeGlob(dir string) string {
	var out []rune
	for _, r := range dir {
		if slices.Contains([]rune(`*?[\`), r) {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

// testPage evaluates the model on its test set, where that is at hand: a page without a
// confusion matrix is of use, too.
func testPage(c *cli.Context, p *reports.Page, f *model.Frozen) error {
	test, err := trainer.LoadTest(c.Context, &f.Encoder, f.Classes, p.Info.Model.Config.Data, folders(c))
	if c.Err() != nil {
		return c.Err()
	}
	if err != nil {
		warn(c, "the page has no confusion matrix: %v", err)
		p.NotTested = err.Error()
		return nil
	}
	warnOfOtherData(c, test, p.Info.Model.Record.Test)
	scores, err := f.Evaluate(c.Context, test.Levels, threads(c))
	if err != nil {
		return err
	}
	labels := test.Levels.Labels
	p.Test = &reports.Test{
		Correct: scores.Correct(labels), Samples: len(labels), Confusion: scores.Confusion(labels),
		OtherData: test.SHA256 != p.Info.Model.Record.Test,
	}
	return nil
}

// syntheses reads what `ialgn synth` left in a folder, in the order of the targets' names.
func syntheses(dir string) (all []reports.Synthesis, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, synthesisName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		var s reports.Synthesis
		at := filepath.Join(dir, synthesisName, e.Name())
		if st, err := os.Stat(at); err != nil || !st.IsDir() {
			continue // not ours
		}
		there, err := readJSON(filepath.Join(at, synth.ReportName), &s.Report)
		if err != nil {
			return nil, err
		}
		if !there {
			continue // interrupted, or not ours
		}
		if _, err := readJSON(filepath.Join(at, synth.CheckName), &s.Check); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// readJSON reads a file that synth wrote, and reports whether it is there.
func readJSON(path string, v any) (there bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, hint.With(fmt.Errorf("%s: %w", path, jsonfault.Explain(err)), "synthesise again, or remove the folder %s", filepath.Dir(path))
	}
	return true, nil
}
