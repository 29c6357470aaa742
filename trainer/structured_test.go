package trainer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// structuredCases lists networks with structured wires. Each case has a number of features, a number of thresholds
// and a configuration. In some cases the nodes fill whole rows and columns of sources, and in other cases the last
// row or column is incomplete.
var structuredCases = []struct {
	features, bits int
	sets           string
}{
	{20, 4, "model.topology=rwlgn model.width=120 model.depth=4"},
	{20, 4, "model.topology=rwlgn model.width=117 model.depth=3"},
	{20, 4, "model.topology=rwlgn model.width=9 model.depth=3"},
	{20, 2, "model.topology=rwlgn model.width=111 model.depth=2"},
	{7, 6, "model.topology=rwlgn model.width=21 model.depth=2"},
	{8, 3, "model.topology=rwlgn model.width=24 model.depth=2"},
	{16, 16, "model.topology=rwlgn model.width=6 model.depth=3"},
	{5, 3, "model.topology=rwlgn model.width=300 model.depth=2"},
	{2, 3, "model.topology=rwlgn model.width=90 model.depth=2"},
	{20, 4, "model.topology=rwlgn-spine model.width=120 model.depth=3"},
	{20, 4, "model.topology=rwlgn-spine model.width=117 model.depth=3"},
	{20, 4, "model.topology=rwlgn-classwise model.width=120 model.depth=3"},
	{20, 4, "model.topology=rwlgn-classwise model.width=117 model.depth=3"},
	{20, 4, "model.topology=layered model.widths=100,40,90,300 model.width=300 model.depth=4"},
}

// structuredModel returns the untrained network of a case. The network has three classes.
func structuredModel(t *testing.T, features, bits int, sets string, seed uint64, threads int) *model.Model {
	t.Helper()
	cfg := parse(t, append(strings.Fields(sets), "model.wiring=structured", fmt.Sprintf("train.seed=%d", seed),
		fmt.Sprintf("encoder.bits=%d", bits))...)
	enc := netgen.Encoder(features, bits, 8)
	if err := cfg.CheckClasses(3, enc.Inputs()); err != nil {
		t.Fatal(err)
	}
	m := Initial(cfg, &enc, []string{"a", "b", "c"}, threads)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestStructuredWires checks the properties of structured wires that docs/reference/config.md lists.
func TestStructuredWires(t *testing.T) {
	for _, c := range structuredCases {
		t.Run(fmt.Sprintf("%dx%d %s", c.features, c.bits-1, c.sets), func(t *testing.T) {
			for seed := range uint64(5) {
				m := structuredModel(t, c.features, c.bits, c.sets, seed, 1)
				for l := range m.Sections {
					checkStructured(t, m, l)
				}
			}
		})
	}
}

// checkStructured checks the wires of a layer.
func checkStructured(t *testing.T, m *model.Model, l int) {
	t.Helper()
	s, groups := &m.Sections[l], 1
	if s.Pins[0].K > 1 {
		return // pins with candidates have no structured wires
	}
	if m.Config.Model.Topology == "rwlgn-classwise" && l > 0 {
		groups = len(m.Classes)
	}
	n, thresholds := m.Limit(l, 1)/groups, 1
	if l == 0 {
		thresholds = m.Encoder.Bits - 1
	}
	nodes, columns := s.Width/groups, n/thresholds
	for group := range groups {
		count, pairs := make([]int, n), map[[2]int]int{}
		for node := group * nodes; node < (group+1)*nodes; node++ {
			var wires [2]int
			for k := range wires {
				wires[k] = node
				if s.Pins[k].Source != model.Spine {
					wires[k] = int(s.Pins[k].Wires.At(node))
					if wires[k]/n != group {
						t.Fatalf("layer %d, node %d of group %d reads source %d", l, node, group, wires[k])
					}
					count[wires[k]%n]++
				}
				wires[k] /= thresholds
			}
			if slices.Sort(wires[:]); wires[0] == wires[1] {
				t.Fatalf("layer %d: node %d reads feature or node %d twice", l, node, wires[0])
			}
			pairs[wires]++
		}
		if least, most := slices.Min(count), slices.Max(count); most > least+1 {
			t.Errorf("layer %d, group %d: sources are used %d to %d times: %v", l, group, least, most, count)
		}
		if nodes <= columns*((columns-1)/2) && len(pairs) != nodes {
			t.Errorf("layer %d, group %d: %d nodes have %d pairs", l, group, nodes, len(pairs))
		}
	}
}

// TestStructuredSpread checks that the two readers of a node are a quarter of the layer apart. Distances wrap around
// from the last node to the first. The test also checks that every part of the first layer reads each input bit about
// equally often.
func TestStructuredSpread(t *testing.T) {
	const width = 1200
	m := structuredModel(t, 20, 4, fmt.Sprintf("model.topology=rwlgn model.width=%d model.depth=3", width), 1, 1)
	for l := range m.Sections[1:] {
		readers := make([][]int, width)
		for k := range 2 {
			for node, source := range wiresOf(&m.Sections[l+1].Pins[k]) {
				readers[source] = append(readers[source], node)
			}
		}
		for _, r := range readers {
			if apart := max(r[0]-r[1], r[1]-r[0]); min(apart, width-apart) < width/4-1 {
				t.Fatalf("layer %d: nodes %v read the same one", l+1, r)
			}
		}
	}
	for part := range 10 { // 240 wires on 60 bits
		count := make([]int, 60)
		for k := range 2 {
			for _, source := range wiresOf(&m.Sections[0].Pins[k])[part*120:][:120] {
				count[source]++
			}
		}
		if slices.Min(count) != 4 || slices.Max(count) != 4 {
			t.Errorf("nodes from %d on: input bits are used %v times, want 4", part*120, count)
		}
	}
}

// TestStructuredDraws checks that structured wires depend on the seed and the layer, but not on the number of threads.
func TestStructuredDraws(t *testing.T) {
	for _, c := range structuredCases[:1] {
		one := structuredModel(t, c.features, c.bits, c.sets, 1, 1)
		many := structuredModel(t, c.features, c.bits, c.sets, 1, 7)
		other := structuredModel(t, c.features, c.bits, c.sets, 2, 1)
		if !reflect.DeepEqual(one.Sections, many.Sections) {
			t.Error("7 threads draw another network than one thread")
		}
		for l := range one.Sections {
			a := wiresOf(&one.Sections[l].Pins[1])
			if same := agreeing(a, wiresOf(&other.Sections[l].Pins[1])); same > 15 { // 1 or 2 on average
				t.Errorf("layer %d: two seeds give %d of %d wires the same source", l, same, len(a))
			}
			if l > 1 && agreeing(a, wiresOf(&one.Sections[l-1].Pins[1])) > 15 {
				t.Errorf("layers %d and %d have the same wires", l-1, l)
			}
		}
	}
}

// TestStructuredRefused checks that networks are refused if their nodes cannot read two different sources.
func TestStructuredRefused(t *testing.T) {
	for _, c := range []struct {
		sets, want string
		inputs     int
	}{
		{"model.topology=rwlgn model.width=30", "structured wires of layer 1 combine two different sources", 3},
		{"model.topology=rwlgn-classwise model.width=3", "structured wires of layer 2 combine two different sources", 60},
		{"model.topology=layered model.widths=1,3 model.width=3 model.depth=2", "structured wires of layer 2", 60},
	} {
		sets := append(strings.Fields(c.sets), "model.wiring=structured", "model.anchors=1", "encoder.bits=4")
		err := parse(t, sets...).CheckClasses(3, c.inputs)
		if err == nil || !strings.Contains(err.Error(), "model.wiring: "+c.want) {
			t.Errorf("%s: error %v, want %s", c.sets, err, c.want)
		}
	}
}
