package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/internal/names"
	"ialgn/internal/plan"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer"
)

// design is a folder in which mutants are generated.
type design struct {
	designKey
	trained bool
	out     *backend.Output
	text    string // the Verilog of the design
	cells   string // the primitives of the design's target, or "" if it has none
	options verilog.Options

	encoder samples
	want    *sim.Result // results for the test samples
	names   []string    // name of each net
	region  []region    // region of each cell
	stage   []int32     // pipeline stage of each net
}

// region is the part of a classifier to which a cell belongs.
type region uint8

const (
	elsewhere region = iota
	encoder          // comparators
	gate
	counter // cells between the gates and the counts
	argmax
	register
)

var (
	gateName    = regexp.MustCompile(`^c(\d+)_k\d+_l\d+`) // the first group is the class
	encoderName = regexp.MustCompile(`^x\d+_(gt|e)\d+`)
)

// regionOf returns the region of a cell, given its kind and the name of its output in the Verilog.
func regionOf(k netlist.Kind, name string) region {
	switch {
	case k == netlist.Register:
		return register
	case k == netlist.Compare || encoderName.MatchString(name):
		return encoder
	case gateName.MatchString(name):
		return gate
	case strings.HasPrefix(name, "count_"):
		return counter
	case strings.HasPrefix(name, "class_index"):
		return argmax
	}
	return elsewhere
}

// readDesign reads a folder. It also reads the data on which the design and its mutants are compared.
func (r *runner) readDesign(ctx context.Context, key designKey) (*design, error) {
	d := &design{designKey: key}
	d.trained = slices.ContainsFunc(networks, func(n network) bool { return n.name == key.network && n.trained })
	var err error
	if d.out, err = backend.Read(ctx, r.folder(key)); err != nil {
		return nil, err
	}
	if d.text, err = d.read("verilog"); err != nil {
		return nil, err
	}
	if _, err := d.out.Path("cells"); err == nil {
		if d.cells, err = d.read("cells"); err != nil {
			return nil, err
		}
	}
	if err := d.readOptions(); err != nil {
		return nil, err
	}
	frozen, err := model.ReadFrozen(r.model(key.network))
	if err != nil {
		return nil, err
	}
	var data config.Data
	if err := json.Unmarshal(d.out.Manifest.Data, &data); err != nil {
		return nil, err
	}
	test, err := trainer.LoadTest(ctx, nil, &frozen.Encoder, frozen.Classes, data, nil)
	if err != nil {
		return nil, err
	}
	d.encoder = samples{&frozen.Encoder, verify.Samples{Levels: test.Levels, Words: test.Words}}
	d.locate()
	d.want, err = d.classify(ctx, d.out.Netlist, d.encoder.set)
	return d, err
}

// read returns the text of the folder's file of the given format.
func (d *design) read(format string) (string, error) {
	path, err := d.out.Path(format)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// locate names the nets and finds the regions of the cells.
func (d *design) locate() {
	n := d.out.Netlist
	named := names.New(n)
	d.names = make([]string, n.Nets())
	for v := range netlist.Net(n.Nets()) {
		if d.names[v] = fmt.Sprint(v); v > netlist.True {
			d.names[v] = string(named.AppendNet(nil, v))
		}
	}
	d.stage = n.Stages()
	d.region = make([]region, n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		d.region[c] = regionOf(n.Kind(c), d.names[n.Output(c)])
	}
}

// headerLine matches a line in the header of the Verilog that says how the Verilog was made.
var headerLine = regexp.MustCompile(`(?m)^// - (.*)$`)

// inputsTitle is the line above the description of how input words are computed.
const inputsTitle = "\n// Input words of real values:\n"

// readOptions finds the options with which the Verilog was written. It checks that these options give the same text
// again.
func (d *design) readOptions() error {
	p, err := plan.Read(d.out)
	if err != nil {
		return err
	}
	d.options = verilog.Options{
		Module: d.out.Manifest.Module, Version: d.out.Manifest.Word, Style: p.Style, Target: p.Target(),
	}
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
		err = fmt.Errorf("%s: the Verilog of the netlist is not the one in the folder", d)
	}
	return err
}

// verilog returns the Verilog of a netlist.
func (d *design) verilog(n *netlist.Netlist) (string, error) {
	var b bytes.Buffer
	err := verilog.Write(&b, n, d.options)
	return b.String(), err
}

// edits returns the changed files in the given formats.
func (d *design) edits(c *change, formats []string) (list []edit, err error) {
	for _, format := range formats {
		if format == "hint" && (d.out.Hint == nil || c.rename == nil) {
			continue
		}
		var b bytes.Buffer
		switch format {
		case "netlist":
			err = netlist.WriteText(&b, c.netlist)
		case "verilog":
			err = verilog.Write(&b, c.netlist, d.options)
		default:
			err = json.NewEncoder(&b).Encode(d.out.Hint.Map(c.rename))
		}
		if err != nil {
			return nil, err
		}
		path, err := d.out.Path(format)
		if err != nil {
			return nil, err
		}
		list = append(list, edit{File: filepath.Base(path), Put: b.String()})
	}
	return list, nil
}
