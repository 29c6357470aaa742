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

	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// network is a network that is trained for this program.
type network struct {
	name    string
	config  string // configuration without the name and the seed
	trained bool   // whether the network is fully trained and has at least 1,000 gates
}

// rows is the name of the network that is trained on random rows with few features.
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

// digits is the beginning of configurations for the embedded digits. The content of the section model must be
// appended.
const digits = "data: {set: digits}\nencoder: {bits: 8}\nmodel: "

// generatedIn lists the designs in which mutants are generated. A design is a network and options of `ialgn compile`.
// Designs of the smallest network for each target and style are added to this list.
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

// generatedInAll returns generatedIn and the designs for all targets. If small is true, it instead returns two
// designs that are quick to compile and verify.
func generatedInAll(small bool) (list []designKey) {
	if small {
		return []designKey{{rows, "--scope full"}, {rows, "--scope full --target ecp5 --pipeline auto"}}
	}
	list = slices.Clone(generatedIn)
	for _, name := range target.Names() {
		for _, rest := range []string{" --style gates", " --style lut", " --style lut --pipeline 2"} {
			list = append(list, designKey{rows, "--scope full --target " + name + rest})
		}
	}
	return list
}

// commandLimit is the maximum time for one run of ialgn.
const commandLimit = 20 * time.Minute

// trainAll trains the networks of the given designs, unless the folder already has their models.
func (r *runner) trainAll(ctx context.Context, keys []designKey) error {
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	for _, n := range networks {
		if !slices.ContainsFunc(keys, func(k designKey) bool { return k.network == n.name }) {
			continue
		}
		if _, err := os.Stat(r.model(n.name)); err == nil {
			continue
		}
		if err := r.train(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// model returns the path of a network's model file.
func (r *runner) model(name string) string { return filepath.Join(r.dir, name+".safetensors") }

func (r *runner) train(ctx context.Context, n network) error {
	text := fmt.Sprintf("name: %s\n%s\n", n.name, n.config)
	if n.name == rows {
		text += fmt.Sprintf("data: {set: csv, dir: %q, train: %s, test_share: 0.4}\n", r.dir, rowsFile)
	}
	path := filepath.Join(r.dir, n.name+".yaml")
	err := errors.Join(os.WriteFile(path, []byte(text), 0o666), writeRows(filepath.Join(r.dir, rowsFile)))
	if err != nil {
		return err
	}
	args := []string{"train", path, "-o", r.model(n.name), "--set", "train.seed=1", "--quiet"}
	_, err = r.ialgn.Run(ctx, tool.Command{Args: args, Limit: commandLimit})
	return err
}

const rowsFile = "rows.csv"

// writeRows writes samples with five features and three classes. In each class, one of the features has larger
// values.
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

// folder returns the path of a design's output folder.
func (r *runner) folder(key designKey) string { return r.work("design", key.String()) }

// compile compiles a design and checks that verify accepts it.
func (r *runner) compile(ctx context.Context, key designKey) error {
	args := []string{"compile", r.model(key.network), "-o", r.folder(key), "--module", "dut", "--quiet"}
	args = append(args, strings.Fields(key.options)...)
	if _, err := r.ialgn.Run(ctx, tool.Command{Args: args, Limit: commandLimit}); err != nil {
		return err
	}
	v, err := judge(ctx, r.ialgn, r.model(key.network), r.folder(key))
	if err == nil && v.Exit != 0 {
		err = fmt.Errorf("%s: the unchanged design is refused: %s", key, v)
	}
	return errors.Join(err, os.RemoveAll(filepath.Join(r.folder(key), "certificate.json")))
}
