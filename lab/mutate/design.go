package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/internal/plan"
	"ialgn/internal/target"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
	"ialgn/trainer"
)

// network is what is trained: settings of `ialgn train` on the embedded digits.
type network struct {
	name    string
	set     []string
	trained bool // trained to the end, with at least 1,000 gates
	rows    bool // trained on random rows with few features instead of the digits
}

// recipe is what a network is compiled with.
type recipe struct {
	network string
	options string
	small   bool // enough of them for a test
}

// aroundCore reports whether the recipe makes a wrapper or a folded engine.
func (c recipe) aroundCore() bool {
	return strings.Contains(c.options, "--wrap") || strings.Contains(c.options, "--fold")
}

var networks = []network{
	{"ialgn", []string{"model.width=300", "model.depth=20", "train.epochs=60"}, true, false},
	{"rwlgn", []string{"model.topology=rwlgn", "model.width=400", "model.depth=4", "train.epochs=30"}, true, false},
	{"random", []string{"model.init=random", "model.width=60", "model.depth=4", "train.epochs=1"}, false, false},
	{
		"classwise",
		[]string{"model.topology=rwlgn-classwise", "model.width=100", "model.depth=3", "train.epochs=2"},
		false,
		false,
	},
	{
		"tiny",
		[]string{"model.init=random", "model.width=12", "model.depth=3", "model.anchors=4", "train.epochs=3"},
		false,
		true,
	},
	{
		"luts",
		[]string{"model.inputs=6", "model.width=60", "model.depth=2", "model.anchors=16", "model.tau=1.5", "train.epochs=5"},
		false, false,
	},
}

// recipes are what is compiled: for every target in every style a small network, too, wrappers and engines.
var recipes = slices.Concat(written, familyRecipes(), aroundRecipes())

// familyRecipes has a small pipeline and a small network without registers for each target and style.
func familyRecipes() (list []recipe) {
	for _, name := range target.Names() {
		for _, rest := range []string{" --style gates", " --style lut", " --style lut --pipeline 2"} {
			list = append(list, recipe{"tiny", "--scope full --target " + name + rest, false})
		}
	}
	return list
}

// aroundRecipes has small networks in every wrapper, with and without the encoder, pipelined, and as engines.
func aroundRecipes() (list []recipe) {
	for _, kind := range wrapper.Kinds() {
		for _, rest := range []string{
			"", " --counts", " --scope core", " --target gowin --pipeline 2",
			" --target ice40 --style lut",
		} {
			list = append(list, recipe{"tiny", "--wrap " + kind + rest, rest == ""})
		}
	}
	for _, options := range []string{
		"--fold 1", "--fold 2", "--fold 4 --wrap axis", "--fold 1 --wrap uart",
		"--fold 2 --wrap spi",
	} {
		list = append(list, recipe{"tiny", options, options == "--fold 1"})
	}
	return list
}

var written = []recipe{
	{"ialgn", "--scope full", false},
	{"ialgn", "--scope core", false},
	{"ialgn", "--scope gates", false},
	{"ialgn", "--scope core --lut 6", false},
	{"ialgn", "--scope full --lut 4", false},
	{"ialgn", "--scope full --target ice40 --pipeline 3", false},
	{"ialgn", "--scope core --lut 6 --style lut", false},
	{"rwlgn", "--scope full", false},
	{"rwlgn", "--scope core --lut 6 --assume-thermometer", false},
	{"rwlgn", "--scope full --lut 6 --pipeline 2", false},
	{"random", "--scope full", true},
	{"random", "--scope core --lut 4", true},
	{"random", "--scope full --target ecp5 --pipeline auto", true},
	{"random", "--scope gates --lut 6", false},
	{"classwise", "--scope full --target xilinx7 --style lut", false},
	{"classwise", "--scope core --target ice40 --pipeline 2", true},
	{"luts", "--scope gates", false},
	{"luts", "--scope core --target xilinx7", false},
	{"luts", "--scope full --lut 4", false},
	{"luts", "--scope core --target xilinx7 --style lut", false},
}

// design is an output folder of the compiler that was found to be right, and what mutants
// of it are compared with.
type design struct {
	recipe
	dir     string
	model   string // file
	trained bool
	out     *backend.Output
	text    string // text of the Verilog
	bench   string // text of the testbench
	cells   string // text of the primitives; empty: there are none
	options verilog.Options
	plan    *plan.Plan
	files   map[string]string // contents of all files, by name
	wrap    string            // the wrapper's kind; empty: there is none
	lanes   int               // lanes of the folded engine; 0: there is none
	data    config.Data
	players []*player // players of a wrapper or an engine

	mu   sync.Mutex
	read map[string]string // the Verilog, by the names of readers

	encoder samplesOf
	flat    *netlist.Netlist // without registers
	where   []region         // region of each cell
	names   []string         // name of each net
	stage   []int32          // stage of each net
	class   []int            // class of each net that counts for one class alone, else -1
	want    []uint64         // ports and probes of flat for the test set
	close   verify.Samples   // samples whose largest counts are equal or nearly so
}

// trainLimit bounds a training, verifyLimit one run of verify.
const (
	trainLimit  = 10 * time.Minute
	verifyLimit = 20 * time.Minute
)

// train trains a network and returns its file.
func train(ctx context.Context, ialgn *tool.Tool, n network, dir string) (string, error) {
	path := filepath.Join(dir, n.name+".safetensors")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	cfg := filepath.Join(dir, n.name+".yaml")
	text := "name: " + n.name + "\n" + n.settings(dir) + "train: {seed: 1}\n"
	err := errors.Join(os.WriteFile(cfg, []byte(text), 0o666), n.writeRows(dir))
	if err != nil {
		return "", err
	}
	args := []string{"train", cfg, "-o", path, "--quiet"}
	for _, s := range n.set {
		args = append(args, "--set", s)
	}
	_, err = ialgn.Run(ctx, tool.Command{Args: args, Limit: trainLimit})
	return path, err
}

// rowsFile is the data set of networks that are trained on rows.
const rowsFile = "rows.csv"

// data returns what a network is trained on.
func (n network) data(dir string) config.Data {
	if n.rows {
		return config.Data{Set: "csv", Dir: dir, Train: rowsFile, TestShare: 0.4}
	}
	return config.Data{Set: "digits"}
}

// settings returns the lines of the configuration about data, encoder and model.
func (n network) settings(dir string) string {
	if n.rows {
		return fmt.Sprintf("data: {set: csv, dir: %q, train: %s, test_share: 0.4}\nencoder: {bits: 4, bits_in: 5}\nmodel: "+
			"{tau: 2}\n", dir, rowsFile)
	}
	return "data: {set: digits}\nencoder: {bits: 8}\nmodel: {anchors: 32, tau: 3}\n"
}

// writeRows writes a set of five features of three classes, one more often than the others where its feature is large.
func (n network) writeRows(dir string) error {
	if !n.rows {
		return nil
	}
	r := rand.New(rand.NewPCG(1, 0x726f7773))
	var b strings.Builder
	for i := range 500 {
		class := i % 3
		for f := range 5 {
			v := r.IntN(32)
			if f == class {
				v = max(v, r.IntN(32))
			}
			fmt.Fprintf(&b, "%d,", v)
		}
		fmt.Fprintf(&b, "%d\n", class)
	}
	return os.WriteFile(filepath.Join(dir, rowsFile), []byte(b.String()), 0o666)
}

// compileDesign compiles a network, reads the folder back and has it verified.
func compileDesign(ctx context.Context, ialgn *tool.Tool, n network, r recipe, path, dir string) (*design, error) {
	args := append([]string{"compile", path, "-o", dir, "--module", "dut", "--quiet"}, strings.Fields(r.options)...)
	if _, err := ialgn.Run(ctx, tool.Command{Args: args, Limit: trainLimit}); err != nil {
		return nil, err
	}
	d := &design{
		recipe: r, dir: dir, model: path, trained: n.trained, data: n.data(filepath.Dir(path)),
		files: map[string]string{}, read: map[string]string{},
	}
	var err error
	if d.out, err = backend.Read(ctx, dir); err != nil {
		return nil, err
	}
	for format, text := range map[string]*string{"verilog": &d.text, "testbench": &d.bench, "cells": &d.cells} {
		if err := d.readFile(format, text); err != nil && format != "cells" {
			return nil, err
		}
	}
	if err := d.readOptions(); err != nil {
		return nil, err
	}
	if err := d.readAll(); err != nil {
		return nil, err
	}
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	if err := d.preparePlayers(ctx); err != nil {
		return nil, err
	}
	v, err := judge(ctx, ialgn, path, dir)
	if err != nil {
		return nil, err
	}
	if v.found() {
		return nil, fmt.Errorf("%s %s: the design is refused before anything was changed: %s", r.network, r.options, v)
	}
	return d, nil
}

// readAll reads all files, and what is written around the netlist.
func (d *design) readAll() error {
	for _, f := range d.out.Manifest.Files {
		text, err := os.ReadFile(filepath.Join(d.dir, f.Name))
		if err != nil {
			return err
		}
		d.files[f.Name] = string(text)
	}
	var o struct {
		Wrap string
		Fold int
	}
	err := json.Unmarshal(d.out.Manifest.Options, &o)
	d.wrap, d.lanes = strings.TrimPrefix(o.Wrap, "none"), o.Fold
	return err
}

func (d *design) readFile(format string, text *string) error {
	path, err := d.out.Path(format)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	*text = string(data)
	return err
}

// headerLine is a line at the top of the Verilog that says where it is from.
var headerLine = regexp.MustCompile(`(?m)^// - (.*)$`)

// inputsTitle is the line above those that say how the words of the input port are made.
const inputsTitle = "\n// Input words of real values:\n"

// readOptions finds out how the Verilog was written, and that it can be written again.
func (d *design) readOptions() error {
	d.options = verilog.Options{Module: d.out.Manifest.Module, Version: d.out.Manifest.Word}
	var err error
	if d.plan, err = plan.Read(d.out); err != nil {
		return err
	}
	d.options.Style, d.options.Target = d.plan.Style, d.plan.Target()
	for _, m := range headerLine.FindAllStringSubmatch(d.text, -1) {
		if strings.HasPrefix(m[1], "LUTs of") || strings.HasPrefix(m[1], "version word") {
			break
		}
		d.options.Header = append(d.options.Header, m[1])
	}
	_, rest, _ := strings.Cut(d.text, inputsTitle)
	for line := range strings.Lines(rest) {
		text, listed := strings.CutPrefix(line, "//   - ")
		if !listed {
			break
		}
		d.options.Inputs = append(d.options.Inputs, strings.TrimSpace(text))
	}
	again, err := d.verilog(d.out.Netlist)
	if err == nil && again != d.text {
		err = fmt.Errorf("%s %s: the Verilog of the netlist is not the one in the folder", d.network, d.recipe.options)
	}
	return err
}

// verilog returns the Verilog of a netlist.
func (d *design) verilog(n *netlist.Netlist) (string, error) {
	var b bytes.Buffer
	err := verilog.Write(&b, n, d.options)
	return b.String(), err
}

// prepare reads what mutants are compared with.
func (d *design) prepare(ctx context.Context) error {
	f, err := model.ReadFrozen(d.model)
	if err != nil {
		return err
	}
	test, err := trainer.LoadTest(ctx, nil, &f.Encoder, f.Classes, d.data, nil)
	if err != nil {
		return err
	}
	d.encoder = samplesOf{&f.Encoder, verify.Samples{Levels: test.Levels, Words: test.Words}}
	if d.flat, _, err = netlist.Transparent(d.out.Netlist); err != nil {
		return err
	}
	d.locate()
	if d.want, err = d.respond(d.flat, d.encoder.set); err != nil {
		return err
	}
	return d.findClose()
}
