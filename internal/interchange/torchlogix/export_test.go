package torchlogix_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchlogix"
)

// written returns the output of WriteCircuit.
func written(t *testing.T, n *graph.Network) string {
	t.Helper()
	var b bytes.Buffer
	if err := torchlogix.WriteCircuit(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// circuitText returns the text of a circuit as a source.
func circuitText(text string) *given.Source {
	return &given.Source{
		Name: "circuit.json", File: strings.NewReader(text), Size: int64(len(text)), Facts: &given.Facts{},
	}
}

func TestWrittenCircuitsOfFixtures(t *testing.T) {
	for _, folder := range fixtures(t) {
		files, _ := filepath.Glob(filepath.Join(folder, "circuit*.json"))
		for _, file := range files {
			t.Run(filepath.Base(folder)+"/"+filepath.Base(file), func(t *testing.T) {
				n, err := torchlogix.ReadCircuit(source(t, file, &given.Facts{}))
				if err != nil {
					t.Fatal(err)
				}
				text := written(t, n)
				if !torchlogix.RecogniseCircuit([]byte(text[:100])) {
					t.Error("RecogniseCircuit is false for the written circuit")
				}
				again, err := torchlogix.ReadCircuit(circuitText(text))
				if err != nil {
					t.Fatal(err)
				}
				n.Findings, again.Findings = nil, nil
				if diff := cmp.Diff(n, again); diff != "" {
					t.Errorf("read back (-written +read):\n%s", diff)
				}
			})
		}
	}
}

// randomNetwork returns a network whose nodes have random numbers of pins. Some pins are constants, and some outputs
// occur twice.
func randomNetwork(rng *rand.Rand) *graph.Network {
	n := &graph.Network{Input: graph.Input{Shape: []int{5}, Digits: 1}, Circuit: graph.NewCircuit(5)}
	c := n.Circuit
	any := func() graph.Ref { return graph.Ref(rng.IntN(c.Inputs+c.Nodes()+2)) - 2 }
	for range 20 {
		pins := make([]graph.Ref, rng.IntN(graph.MaxPins+1))
		for i := range pins {
			pins[i] = any()
		}
		table := rng.Uint64()
		for range rng.IntN(4) {
			table &= rng.Uint64() // with few ones in the table, some subtables are constant
		}
		c.Add(table, pins...)
	}
	n.Sum = graph.Sum{Groups: make([][]graph.Ref, 3), Tau: 2.5, Beta: []float64{0, -1, 0.25}}
	for class := range n.Sum.Groups {
		for range rng.IntN(9) {
			n.Sum.Groups[class] = append(n.Sum.Groups[class], any())
		}
	}
	return n
}

// all returns all 32 samples of five bits.
func all() []float32 {
	var out []float32
	for i := range 32 {
		for b := range 5 {
			out = append(out, float32(i>>b&1))
		}
	}
	return out
}

func TestWriteCircuitOfLargeNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := randomNetwork(rng)
		again, err := torchlogix.ReadCircuit(circuitText(written(t, n)))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, scores(again, all()), scores(n, all()), 0)
		for node := range again.Circuit.Nodes() {
			if len(again.Circuit.NodePins(node)) > 2 {
				t.Fatal("a gate of more than two pins")
			}
		}
	}
}

// TestWriteCircuitOfGates checks that every table of up to two pins is written as one gate.
func TestWriteCircuitOfGates(t *testing.T) {
	for pins := range 3 {
		for table := range uint64(1) << (1 << pins) {
			n := &graph.Network{Input: graph.Input{Shape: []int{5}, Digits: 1}, Circuit: graph.NewCircuit(5)}
			out := n.Circuit.Add(table, []graph.Ref{3, 1}[:pins]...)
			n.Sum = graph.Sum{Groups: [][]graph.Ref{{out}}, Tau: 1}
			again, err := torchlogix.ReadCircuit(circuitText(written(t, n)))
			if err != nil {
				t.Fatal(err)
			}
			if again.Circuit.Nodes() != 1 {
				t.Errorf("table %b of %d pins is written as %d gates", table, pins, again.Circuit.Nodes())
			}
			compare(t, scores(again, all()), scores(n, all()), 0)
		}
	}
}

func TestWriteCircuitOfLayers(t *testing.T) {
	n := &graph.Network{
		Input: graph.Input{Shape: []int{5}, Digits: 1},
		Dense: []graph.Dense{
			{
				Width: 2, Pins: 3, Logits: []float32{1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, -1}, Candidates: 1,
				Wires: [][]uint32{{0, 4}, {1, 3}, {2, 2}},
			},
			{
				Width: 2, Pins: 2, Softmax16: true, Logits: append(make([]float32, 30), 1, 0), Candidates: 2,
				Wires: [][]uint32{{0, 1, 1, 0}, {1, 0, 0, 1}}, Choice: [][]float32{{0, 1, 0, 1}, {0, 1, 0, 1}},
			},
		},
		Sum: graph.Sum{Groups: [][]graph.Ref{{0, graph.True}, {1, graph.False}}, Tau: 3},
	}
	again, err := torchlogix.ReadCircuit(circuitText(written(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, scores(again, all()), scores(n, all()), 0)
}

func TestWriteCircuitShape(t *testing.T) {
	n := &graph.Network{Circuit: graph.NewCircuit(24), Sum: graph.Sum{Groups: [][]graph.Ref{{0}}, Tau: 1}}
	rows := make([][]float32, 12)
	for i := range rows {
		rows[i] = []float32{0.25, 0.5}
	}
	n.Input = graph.Input{Shape: []int{2, 3, 2}, Thresholds: rows}
	for first := range 2 {
		for bit := range 2 {
			for i := range 6 {
				n.Input.Order = append(n.Input.Order, graph.Bit{Feature: int32(6*first + i), Index: int32(bit)})
			}
		}
	}
	if text := written(t, n); !strings.Contains(text, `"input_shape": [4, 3, 2]`) {
		t.Error(text)
	}
	n.Input.Order = nil
	if text := written(t, n); !strings.Contains(text, `"input_shape": [2, 3, 4]`) {
		t.Error(text)
	}
	n.Input.Digits, n.Input.Thresholds = 2, nil
	n.Input.Order = make([]graph.Bit, 24)
	if text := written(t, n); !strings.Contains(text, `"input_shape": [24]`) {
		t.Error(text)
	}
}

func TestWriteCircuitRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		sum  graph.Sum
	}{
		{"no classes", graph.Sum{Tau: 1}},
		{"tau of 0", graph.Sum{Groups: [][]graph.Ref{{0}}}},
		{"tau that is no number", graph.Sum{Groups: [][]graph.Ref{{0}}, Tau: math.NaN()}},
		{"beta that is infinite", graph.Sum{Groups: [][]graph.Ref{{0}}, Tau: 1, Beta: []float64{math.Inf(1)}}},
	} {
		n := &graph.Network{Circuit: graph.NewCircuit(1), Sum: c.sum}
		if err := torchlogix.WriteCircuit(&bytes.Buffer{}, n); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
	n := &graph.Network{Circuit: graph.NewCircuit(1), Sum: graph.Sum{Groups: [][]graph.Ref{{0}}, Tau: 1}}
	if err := torchlogix.WriteCircuit(fullDisk{}, n); err == nil {
		t.Error("a full disk: no error")
	}
}

// fullDisk is a writer that always fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }
