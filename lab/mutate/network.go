package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// network is a network that is trained for this program.
type network struct {
	name    string
	config  string // configuration, but for the name and the seed
	trained bool   // trained to the end, with at least 1,000 gates
}

// rows is the network that is trained on random rows with few features.
const rows = "tiny"

var networks = []network{
	{"ialgn", digits + "{anchors: 32, tau: 3, width: 300, depth: 20}\ntrain: {epochs: 60}", true},
	{"rwlgn", digits + "{topology: rwlgn, anchors: 32, tau: 3, width: 400, depth: 4}\ntrain: {epochs: 30}", true},
	{"random", digits + "{init: random, anchors: 32, tau: 3, width: 60, depth: 4}\ntrain: {epochs: 1}", false},
	{
		"classwise",
		digits + "{topology: rwlgn-classwise, anchors: 32, tau: 3, width: 100, depth: 3}\ntrain: {epochs: 2}",
		false,
	},
	{"luts", digits + "{inputs: 6, anchors: 16, tau: 1.5, width: 60, depth: 2}\ntrain: {epochs: 5}", false},
	{
		rows,
		"encoder: {bits: 4, bits_in: 5}\nmodel: {init: random, anchors: 4, tau: 2, width: 12, depth: 3}\ntrain: {epochs: 3}",
		false,
	},
}

// digits is the configuration of networks that are trained on the embedded digits, up to the model.
const digits = "data: {set: digits}\nencoder: {bits: 8}\nmodel: "

// generatedIn lists the designs in which mutants are generated: networks and options of `ialgn compile`. Beside them
// the smallest network is compiled for each target in each style.
var generatedIn = []designKey{
	{"ialgn", "--scope full"},
	{"ialgn", "--scope core"},
	{"ialgn", "--scope gates"},
	{"ialgn", "--scope core --lut 6"},
	{"ialgn", "--scope full --lut 4"},
	{"ialgn", "--scope full --target ice40 --pipeline 3"},
	{"ialgn", "--scope core --lut 6 --style lut"},
	{"rwlgn", "--scope full"},
	{"rwlgn", "--scope core --lut 6 --assume-thermometer"},
	{"rwlgn", "--scope full --lut 6 --pipeline 2"},
	{"random", "--scope full"},
	{"random", "--scope core --lut 4"},
	{"random", "--scope full --target ecp5 --pipeline auto"},
	{"random", "--scope gates --lut 6"},
	{"classwise", "--scope full --target xilinx7 --style lut"},
	{"classwise", "--scope core --target ice40 --pipeline 2"},
	{"luts", "--scope gates"},
	{"luts", "--scope core --target xilinx7"},
	{"luts", "--scope full --lut 4"},
	{"luts", "--scope core --target xilinx7 --style lut"},
}

// generatedInAll returns generatedIn with those of all targets; small: some that are quickly compiled and verified.
func generatedInAll(small bool) (list []designKey) {
	if small {
		return []designKey{generatedIn[10], generatedIn[12], {rows, "--scope core --lut 4"}}
	}
	list = generatedIn
	for _, name := range target.Names() {
		for _, rest := range []string{" --style gates", " --style lut", " --style lut --pipeline 2"} {
			list = append(list, designKey{rows, "--scope full --target " + name + rest})
		}
	}
	return list
}

// commandLimit bounds one run of ialgn.
const commandLimit = 20 * time.Minute

// folder is an output folder of `ialgn compile` that `ialgn verify` accepts.
type folder struct {
	network
	options string
	dir     string
	model   string // file
}

func (f *folder) String() string { return f.name + " " + f.options }

// train trains a network in the folder dir, unless that was done before, and returns the model's file.
func train(ctx context.Context, ialgn *tool.Tool, n network, dir string) (string, error) {
	model, configuration := filepath.Join(dir, n.name+".safetensors"), filepath.Join(dir, n.name+".yaml")
	if _, err := os.Stat(model); err == nil {
		return model, nil
	}
	text := fmt.Sprintf("name: %s\n%s\n", n.name, n.config)
	if n.name == rows {
		text += fmt.Sprintf("data: {set: csv, dir: %q, train: %s, test_share: 0.4}\n", dir, rowsFile)
	}
	err := errors.Join(os.WriteFile(configuration, []byte(text), 0o666), writeRows(filepath.Join(dir, rowsFile)))
	if err == nil {
		_, err = ialgn.Run(ctx, tool.Command{
			Args:  []string{"train", configuration, "-o", model, "--set", "train.seed=1", "--quiet"},
			Limit: commandLimit,
		})
	}
	return model, err
}

// data returns the data set of the network's test samples.
func (f *folder) data() config.Data {
	if f.name == rows {
		return config.Data{Set: "csv", Dir: filepath.Dir(f.model), Train: rowsFile, TestShare: 0.4}
	}
	return config.Data{Set: "digits"}
}

const rowsFile = "rows.csv"

// writeRows writes samples of five features and three classes; a class has larger values of its own feature.
func writeRows(path string) error {
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
	return os.WriteFile(path, []byte(b.String()), 0o666)
}

// compile compiles a network into the folder dir and has it verified.
func (r *runner) compile(ctx context.Context, key designKey, dir string) (*folder, error) {
	i := slices.IndexFunc(networks, func(n network) bool { return n.name == key.network })
	f := &folder{networks[i], key.options, dir, r.models[key.network]}
	args := append([]string{"compile", f.model, "-o", dir, "--module", "dut", "--quiet"}, strings.Fields(f.options)...)
	if _, err := r.ialgn.Run(ctx, tool.Command{Args: args, Limit: commandLimit}); err != nil {
		return nil, err
	}
	v, err := judge(ctx, r.ialgn, f.model, dir)
	if err == nil && v.Exit != 0 {
		err = fmt.Errorf("%s: the unchanged design is refused: %s", f, v)
	}
	return f, err
}
