package prune

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/crew"
	"ialgn/internal/modelgen"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// TestRefill refills networks of every form by few samples, so that many lines are read by none: every node keeps its
// value in every sample, and each table depends on as few pins as any could, found by looking at the samples one by
// one.
func TestRefill(t *testing.T) {
	changed := 0
	for _, form := range modelgen.Unshared() {
		t.Run(form.Name, func(t *testing.T) {
			task := task(form, 30)
			all, err := task.Refill(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			task.Threads = 1
			again, err := task.Refill(t.Context())
			if diff := cmp.Diff(again, all); diff != "" || err != nil {
				t.Fatalf("by one thread, error %v (-one +two):\n%s", err, diff)
			}
			o := newOracle(t, task)
			for _, r := range all {
				was := o.f.Layers[r.Layer].Op.At(r.Node)
				pins := len(o.f.Layers[r.Layer].Pins)
				if freed := support(was, pins) - support(r.Table, pins); freed != r.Freed || freed < 1 {
					t.Errorf("layer %d, node %d: %d pins freed, said to be %d", r.Layer, r.Node, freed, r.Freed)
				}
				o.f.Layers[r.Layer].Op.Set(r.Node, r.Table)
			}
			before, after := rowsOf(task.Network, task.Samples), rowsOf(o.f, task.Samples)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("values of nodes (-before +after):\n%s", diff)
			}
			checkFewest(t, o.f, before, task.Samples.Len())
			changed += len(all)
		})
	}
	if changed < 100 {
		t.Errorf("%d tables were refilled: the test shows little", changed)
	}
}

// rowsOf returns the input bits, and the bits of each layer, of up to 64 samples, a word a row.
func rowsOf(f *model.Frozen, p *encoding.Packed) [][]uint64 {
	in, index := make([]uint64, f.Inputs()), []int32{}
	for i := range p.Len() {
		index = append(index, int32(i))
	}
	encoding.NewBatcher(&f.Encoder, p, 1, crew.New(1)).Batch(in, index)
	rows := [][]uint64{in}
	model.NewEvaluator(f).Run(in, 1, func(_ int, h []uint64) {
		row := slices.Clone(h)
		for i := range row {
			row[i] &= 1<<p.Len() - 1
		}
		rows = append(rows, row)
	})
	return rows
}

// checkFewest looks for a set of fewer pins, in which no two samples differ that differ in the node's value.
func checkFewest(t *testing.T, f *model.Frozen, rows [][]uint64, samples int) {
	t.Helper()
	for l := range f.Layers {
		layer := &f.Layers[l]
		pins := len(layer.Pins)
		for i := range layer.Width() {
			has := support(layer.Op.At(i), pins)
			for set := range uint(1) << pins {
				if bits.OnesCount(set) >= has {
					continue
				}
				values, conflict := map[uint]uint64{}, false
				for s := range samples {
					key := uint(0)
					for k := range pins {
						from := rows[0]
						if layer.Pins[k].Source == model.Previous {
							from = rows[l]
						}
						key |= uint(from[layer.Pins[k].Index[i]]>>s&1) << k & set
					}
					value := rows[l+1][i] >> s & 1
					if was, ok := values[key]; ok && was != value {
						conflict = true
					}
					values[key] = value
				}
				if !conflict {
					t.Errorf("layer %d, node %d needs the pins %b alone, and depends on %d", l, i, set, has)
				}
			}
		}
	}
}

// TestSmallest has single tables, with a line of zeros as the highest digit.
func TestSmallest(t *testing.T) {
	for _, c := range []struct {
		name              string
		pins              int
		table, read, want uint64
		kept              int
	}{
		{"all lines are read", 2, 0b0111, 0b1111, 0b0111, 2},
		{"no line is read, most are 1", 2, 0b0111, 0, 0b1111, 0},
		{"no line is read, as many are 1 as are 0", 2, 0b0011, 0, 0, 0},
		{"the first of two pins that would do", 2, 0b0111, 0b1001, 0b0011, 1},
		{"pin B, as pin A does not do", 2, 0b0111, 0b1101, 0b0101, 1},
		{"what is read is constant", 2, 0b0111, 0b0111, 0b1111, 0},
		{"one pin stays as it is", 2, 0b0101, 0b1100, 0b0101, 1},
		{"a line that is not read keeps its value where all pins stay", 2, 0b0110, 0b1110, 0b0110, 2},
		{"XOR of three pins in two lines", 3, 0b01101001, 0b10000001, 0b00001111, 1},
		{"three lines are read, all of them 0", 3, 0b00011101, 0b11000010, 0b00000000, 0},
	} {
		if got, kept := smallest(c.table, c.read, c.pins); got != c.want || kept != c.kept {
			t.Errorf("%s: %b of %d pins, want %b of %d", c.name, got, kept, c.want, c.kept)
		}
	}
}

// TestMerge has groups of lines that no sample reads.
func TestMerge(t *testing.T) {
	// Of the lines with pin A = 1, none is read; three of four are 1. Of those with 0, one is read, which is 0.
	if got, ok := merge(0b0111_1011, 0b1000_0000, 3, 1); !ok || got != 0b0000_1111 {
		t.Errorf("%08b, %v, want 00001111", got, ok)
	}
	if got, ok := merge(0b0111_0011, 0b1000_0000, 3, 1); !ok || got != 0 {
		t.Errorf("%08b, %v, want 0, as many lines are 1 as are 0", got, ok)
	}
	if _, ok := merge(0b0111_0011, 0b1100_0000, 3, 1); ok {
		t.Error("lines that are read and differ are merged")
	}
}
