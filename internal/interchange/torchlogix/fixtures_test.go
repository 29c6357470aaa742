package torchlogix_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/interchange/torchlogix"
	"ialgn/internal/testkit"
)

// fixturesFolder holds networks of torchlogix, with the scores that torchlogix computes for samples. The folder's
// README says how they were made.
const fixturesFolder = "../../../../shared/reference/import"

// fixtures returns the folders of networks. It skips the test if there are none.
func fixtures(t *testing.T) []string {
	folder := fixturesFolder
	if other := os.Getenv("IALGN_IMPORT"); other != "" {
		folder = other
	}
	found, _ := filepath.Glob(filepath.Join(folder, "tlx-*"))
	if len(found) == 0 {
		t.Skipf("there are no networks of torchlogix in %s", folder)
	}
	return found
}

// readFacts reads the facts about a network.
func readFacts(t *testing.T, folder string) *given.Facts {
	t.Helper()
	f, err := given.ReadFacts(filepath.Join(folder, "facts.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// source returns a file as a source for readers.
func source(t *testing.T, path string, f *given.Facts) *given.Source {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return &given.Source{Name: filepath.Base(path), File: file, Size: info.Size(), Facts: f}
}

// readTorch reads a file written by torch.save.
func readTorch(t *testing.T, src *given.Source) (*graph.Network, error) {
	t.Helper()
	value, err := torchfile.Read(src.File, src.Size)
	if err != nil {
		t.Fatal(err)
	}
	if !torchlogix.Recognise(value) {
		t.Error("Recognise is false for the file")
	}
	return torchlogix.Read(src, value)
}

// scores computes the scores of samples in the slow, obvious way.
func scores(n *graph.Network, samples []float32) []float32 {
	var out []float32
	features := n.Input.Features()
	for at := 0; at < len(samples); at += features {
		out = append(out, scoresOf(n, samples[at:at+features])...)
	}
	return out
}

// inputBits returns the input bits of a sample.
func inputBits(n *graph.Network, sample []float32) []bool {
	bits := make([]bool, n.Input.Bits())
	for i := range bits {
		b := n.Input.Bit(i)
		if n.Input.Thresholds != nil {
			bits[i] = sample[b.Feature] > n.Input.Thresholds[b.Feature][b.Index]
		} else {
			bits[i] = int(sample[b.Feature])>>b.Index&1 != 0
		}
	}
	return bits
}

// lookUp returns one line of a table. bits are the binary digits of the line's number, highest digit first.
func lookUp(table uint64, bits ...bool) bool {
	line := 0
	for _, b := range bits {
		line *= 2
		if b {
			line++
		}
	}
	return table>>line&1 != 0
}

// layersOf returns the output bits of the last layer.
func layersOf(n *graph.Network, bits []bool) []bool {
	for i := range n.Dense {
		d := &n.Dense[i]
		next := make([]bool, d.Width)
		for node := range next {
			var pins []bool
			for pin := range d.Pins {
				pins = append(pins, bits[d.Wire(node, pin)])
			}
			next[node] = lookUp(d.Table(node), pins...)
		}
		bits = next
	}
	return bits
}

// circuitOf returns the inputs of a circuit, followed by the outputs of its nodes.
func circuitOf(c *graph.Circuit, bits []bool) []bool {
	for node := range c.Nodes() {
		var pins []bool
		for _, p := range c.NodePins(node) {
			pins = append(pins, valueOf(bits, p))
		}
		bits = append(bits, lookUp(c.Tables[node], pins...))
	}
	return bits
}

func valueOf(bits []bool, r graph.Ref) bool { return r == graph.True || r >= 0 && bits[r] }

// scoresOf computes the scores of one sample in float32, as torch does.
func scoresOf(n *graph.Network, sample []float32) []float32 {
	bits := inputBits(n, sample)
	if n.Circuit != nil {
		bits = circuitOf(n.Circuit, bits)
	} else {
		bits = layersOf(n, bits)
	}
	var out []float32
	for class, group := range n.Sum.Groups {
		count := float32(0)
		for _, r := range group {
			if valueOf(bits, r) {
				count++
			}
		}
		out = append(out, (count+float32(n.Sum.BetaOf(class)))/float32(n.Sum.Tau))
	}
	return out
}

// compare fails the test unless each score differs by at most the given tolerance.
func compare(t *testing.T, got, want []float32, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d scores, want %d", len(got), len(want))
	}
	wrong := 0
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= within) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d scores are wrong", wrong, len(want))
	}
}

func TestFixtures(t *testing.T) {
	for _, folder := range fixtures(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			inputs := array(t, filepath.Join(folder, "inputs.npy"))
			want := array(t, filepath.Join(folder, "scores.npy"))
			files, _ := filepath.Glob(filepath.Join(folder, "*.pt"))
			for _, file := range files {
				t.Run(filepath.Base(file), func(t *testing.T) {
					f := readFacts(t, folder)
					n, err := readTorch(t, source(t, file, f))
					if strings.Contains(file, "no_indices") {
						wantMissing(t, err, "wiring")
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					compare(t, scores(n, inputs), want, 0)
					if len(n.Findings) < 4 {
						t.Errorf("findings: %v", n.Findings)
					}
				})
			}
		})
	}
}

// TestShapeOfSample reads the networks without the fact input.shape. A network needs this fact only if it takes
// images and its bits are not grouped by feature.
func TestShapeOfSample(t *testing.T) {
	for _, folder := range fixtures(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			f := readFacts(t, folder)
			f.Input.Shape = nil
			n, err := readTorch(t, source(t, filepath.Join(folder, "state_dict.pt"), f))
			if strings.HasSuffix(folder, "light-r6-image") {
				wantMissing(t, err, "input.shape")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			compare(t, scores(n, array(t, filepath.Join(folder, "inputs.npy"))),
				array(t, filepath.Join(folder, "scores.npy")), 0)
		})
	}
}

// TestModuleAlone reads whole modules without facts.
func TestModuleAlone(t *testing.T) {
	for _, folder := range fixtures(t) {
		file := filepath.Join(folder, "model.pt")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			n, err := readTorch(t, source(t, file, &given.Facts{}))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, scores(n, array(t, filepath.Join(folder, "inputs.npy"))),
				array(t, filepath.Join(folder, "scores.npy")), 0)
		})
	}
}

func TestCircuitFixtures(t *testing.T) {
	for _, folder := range fixtures(t) {
		files, _ := filepath.Glob(filepath.Join(folder, "circuit*.json"))
		for _, file := range files {
			t.Run(filepath.Base(folder)+"/"+filepath.Base(file), func(t *testing.T) {
				want := array(t, filepath.Join(folder, "scores.npy"))
				inputs := filepath.Join(folder, "inputs.npy")
				bits := filepath.Join(folder, "bits.npy")
				if _, err := os.Stat(bits); err != nil {
					bits = inputs
				}
				for _, f := range []*given.Facts{{}, readFacts(t, folder)} {
					n, err := torchlogix.ReadCircuit(source(t, file, f))
					if err != nil {
						t.Fatal(err)
					}
					compare(t, scores(n, array(t, bits)), want, 1e-6)
				}
				circuitBehindThermometer(t, folder, file, want)
			})
		}
	}
}

// circuitBehindThermometer reads the circuit with the thresholds of the network's state dict.
func circuitBehindThermometer(t *testing.T, folder, file string, want []float32) {
	f := readFacts(t, folder)
	state, err := readTorch(t, source(t, filepath.Join(folder, "state_dict.pt"), f))
	if err != nil {
		t.Fatal(err)
	}
	src := source(t, file, f)
	if src.Thresholds = state.Input.Thresholds; src.Thresholds == nil {
		return
	}
	n, err := torchlogix.ReadCircuit(src)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(n.Input.Shape, state.Input.Shape) || !slices.Equal(n.Input.Order, state.Input.Order) {
		t.Errorf("input %v, want %v", n.Input.Shape, state.Input.Shape)
	}
	compare(t, scores(n, array(t, filepath.Join(folder, "inputs.npy"))), want, 1e-6)
}

// array returns the numbers in a NumPy file.
func array(t *testing.T, path string) []float32 {
	t.Helper()
	_, data := testkit.ReadNPY(t, path)
	out := make([]float32, len(data))
	for i, v := range data {
		out[i] = float32(v)
	}
	return out
}
