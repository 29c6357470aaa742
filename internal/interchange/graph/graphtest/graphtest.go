// Package graphtest tests the networks that readers return. It compares their results with the results of the
// original frameworks for the same samples.
//
// Its evaluator is slow and obvious. It shares no code with the rest of the program. It uses only the numbers in a
// graph.
package graphtest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/testkit"
)

// Fixture is a network of another framework, together with the framework's scores for some samples.
type Fixture struct {
	Dir        string
	Facts      *given.Facts
	Files      []string    // the network's checkpoints, which facts.json lists
	Inputs     [][]float64 // [sample][feature]
	Scores     [][]float32 // [sample][class]
	Thresholds [][]float32 // nil if the fixture has no thresholds
}

// Open reads a folder of fixtures, such as shared/reference/import/dwn-n2-fixed. It skips the test if the folder does
// not exist.
func Open(t testing.TB, dir string) *Fixture {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "facts.json"))
	if os.IsNotExist(err) {
		t.Skip("the fixtures of other frameworks are not here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := given.ParseFacts(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fixture{Dir: dir, Facts: said, Files: fileNames(t, text)}
	f.Facts.Name = "facts.json"
	f.Inputs = rows(testkit.ReadNPY(t, filepath.Join(dir, "inputs.npy")))
	f.Scores = narrow(rows(testkit.ReadNPY(t, filepath.Join(dir, "scores.npy"))))
	if path := filepath.Join(dir, "thresholds.npy"); exists(path) {
		f.Thresholds = narrow(rows(testkit.ReadNPY(t, path)))
	}
	return f
}

func fileNames(t testing.TB, text []byte) []string {
	t.Helper()
	var in struct {
		Files map[string]string `json:"files"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range in.Files {
		names = append(names, name)
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rows splits an array into its samples.
func rows(shape []int, data []float64) [][]float64 {
	out := make([][]float64, shape[0])
	size := len(data) / shape[0]
	for i := range out {
		out[i] = data[i*size : (i+1)*size]
	}
	return out
}

func narrow(data [][]float64) [][]float32 {
	out := make([][]float32, len(data))
	for i, row := range data {
		for _, v := range row {
			out[i] = append(out[i], float32(v))
		}
	}
	return out
}

// Source opens a file of the fixture for a reader. The source shares the facts of the fixture, so a test must copy
// the facts before it changes them.
func (f *Fixture) Source(t testing.TB, name string) *given.Source {
	t.Helper()
	file, err := os.Open(filepath.Join(f.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return &given.Source{Name: name, File: file, Size: info.Size(), Facts: f.Facts, Thresholds: f.Thresholds}
}

// Text reads a text file of the fixture.
func (f *Fixture) Text(t testing.TB, name string) *given.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(f.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return &given.File{Name: name, Data: data}
}

// Check compares the scores of the network with the scores of the fixture, for all samples, bit for bit.
func (f *Fixture) Check(t testing.TB, n *graph.Network) {
	t.Helper()
	wrong := 0
	for i, sample := range f.Inputs {
		got := Scores(n, sample)
		if len(got) != len(f.Scores[i]) {
			t.Fatalf("%d classes, want %d", len(got), len(f.Scores[i]))
		}
		for c, v := range got {
			if math.Float32bits(v) != math.Float32bits(f.Scores[i][c]) {
				if wrong++; wrong < 4 {
					t.Errorf("sample %d, class %d: score %v, want %v", i, c, v, f.Scores[i][c])
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d scores are wrong", wrong)
	}
}

// Scores returns the scores of a sample, [class]. Each step of the computation is rounded to float32.
func Scores(n *graph.Network, sample []float64) []float32 {
	bits := InputBits(n, sample)
	if n.Dense != nil {
		for i := range n.Dense {
			bits = layer(&n.Dense[i], bits)
		}
	} else {
		bits = circuit(n.Circuit, bits)
	}
	scores := make([]float32, len(n.Sum.Groups))
	for c, group := range n.Sum.Groups {
		count := 0
		for _, ref := range group {
			if ref == graph.True || ref >= 0 && bits[ref] {
				count++
			}
		}
		scores[c] = (float32(count) + float32(n.Sum.BetaOf(c))) / float32(n.Sum.Tau)
	}
	return scores
}

// InputBits returns the input bits of a sample.
func InputBits(n *graph.Network, sample []float64) []bool {
	bits := make([]bool, n.Input.Bits())
	for i := range bits {
		b := n.Input.Bit(i)
		x := sample[b.Feature]
		if n.Input.Thresholds != nil {
			bits[i] = float32(x) > n.Input.Thresholds[b.Feature][b.Index]
		} else {
			bits[i] = int(x)>>b.Index&1 == 1
		}
	}
	return bits
}

// layer returns the outputs of a layer. The first pin is the highest digit of a line's number.
func layer(d *graph.Dense, in []bool) []bool {
	out := make([]bool, d.Width)
	for node := range out {
		line := 0
		for pin := range d.Pins {
			best := node * d.Candidates
			for c := best + 1; c < (node+1)*d.Candidates; c++ {
				if d.Choice[pin][c] > d.Choice[pin][best] {
					best = c
				}
			}
			line *= 2
			if in[d.Wires[pin][best]] {
				line++
			}
		}
		if !d.Softmax16 {
			out[node] = d.Logits[node<<d.Pins+line] > 0
			continue
		}
		op := 0
		for i := range 16 {
			if d.Logits[node*16+i] > d.Logits[node*16+op] {
				op = i
			}
		}
		out[node] = op>>(3-line)&1 == 1
	}
	return out
}

// circuit returns the input bits, followed by the outputs of all nodes.
func circuit(c *graph.Circuit, in []bool) []bool {
	bits := append([]bool{}, in...)
	for node := range c.Tables {
		line := 0
		for _, ref := range c.NodePins(node) {
			line *= 2
			if ref == graph.True || ref >= 0 && bits[ref] {
				line++
			}
		}
		bits = append(bits, c.Tables[node]>>line&1 == 1)
	}
	return bits
}
