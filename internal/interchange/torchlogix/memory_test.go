package torchlogix_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/interchange/torchlogix"
)

// allocated reads a saved value. It returns the number of bytes that reading allocates, and the largest number of
// bytes that it may allocate.
func allocated(t *testing.T, value any, f *given.Facts) (bytesOf, most uint64, err error) {
	t.Helper()
	data := saved(value)
	src := &given.Source{Name: "net.pt", File: bytes.NewReader(data), Size: int64(len(data)), Facts: f}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := torchfile.Read(src.File, src.Size)
	if err == nil {
		_, err = torchlogix.Read(src, v)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, uint64(4*len(data) + 64<<20), err
}

// learnt returns a layer with learnt connections to all inputs. If expanded is true, the indices are saved with
// strides of 0.
func learnt(in, rank, out int, expanded bool) (dict, *given.Facts) {
	idx := tensor{shape: []int{in, rank, out}, stride: []int{1, 0, 0}}
	values := make([]int64, in)
	for i := range values {
		values[i] = int64(i)
	}
	if !expanded {
		idx.stride = nil
		var all []int64
		for _, v := range values {
			all = append(all, slices.Repeat([]int64{v}, rank*out)...)
		}
		values = all
	}
	idx.data = values
	state := dict{
		{"0.weight", counted(9, 4, out, 1<<rank)},
		{"0.connections.indices", idx},
		{"0.connections.weights", counted(11, 5, in, rank, out)},
	}
	return state, &given.Facts{
		Parametrization: "warp", InDim: in, Sum: given.GroupSum{K: ptr(2), Tau: ptr(1.0)},
	}
}

func TestMemoryOfLearntConnections(t *testing.T) {
	for _, expanded := range []bool{false, true} {
		d, f := learnt(500, 4, 600, expanded)
		got, most, err := allocated(t, d, f)
		if err != nil || got > most {
			t.Errorf("expanded %v: %d bytes, at most %d: %v", expanded, got, most, err)
		}
	}
	d, f := learnt(5, 3, 4, false)
	want, err := read(t, d, f)
	if err != nil {
		t.Fatal(err)
	}
	d, f = learnt(5, 3, 4, true)
	got, err := read(t, d, f)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("expanded (-contiguous +expanded):\n%s%v", diff, err)
	}
}

// TestMemoryOfSmallFiles checks small files that claim to be large. Such files must be refused before memory is
// allocated for the claimed data.
func TestMemoryOfSmallFiles(t *testing.T) {
	one := []float32{1}
	deep := dict{{"0.connections._indices_L0", tensor{shape: []int{1, 1, 1 << 20, 1, 3}, stride: []int{0, 0, 0, 0, 0}, data: []int64{0}}}}
	for level := range 200 {
		deep = deep.with(fmt.Sprintf("0.tree_weights.%d", level), floats([]int{1, 1, 2}, 0, 1))
	}
	conv := func(change func(d dict, f *given.Facts) dict) (dict, *given.Facts) {
		d, f := convNet()
		return change(d, f), f
	}
	for name, make := range map[string]func() (dict, *given.Facts){
		"many nodes": func() (dict, *given.Facts) {
			d, f := denseNet()
			f.LayersInOrder[2].Out = 0
			return d.with("2.weight", tensor{shape: []int{1 << 29, 4}, stride: []int{0, 0}, data: one}).
				with("2.connections.indices", tensor{shape: []int{2, 1 << 29}, stride: []int{0, 0}, data: []int64{0}}), f
		},
		"many candidates": func() (dict, *given.Facts) {
			d, f := denseNet()
			many := []int{1 << 25, 2, 4}
			return d.with("2.connections.weights", tensor{shape: many, stride: []int{0, 0, 0}, data: one}).
				with("2.connections.indices", tensor{shape: many, stride: []int{0, 0, 0}, data: []int64{0}}), f
		},
		"many thresholds": func() (dict, *given.Facts) {
			d, f := denseNet()
			f.LayersInOrder[0].ThresholdsShape = nil
			return d.with("0.thresholds", tensor{shape: []int{1 << 20, 2}, stride: []int{0, 0}, data: one}), f
		},
		"many positions": func() (dict, *given.Facts) {
			return conv(func(d dict, f *given.Facts) dict {
				f.LayersInOrder[0].InDim = []int{2001, 1001}
				return d.with("0.connections._indices_L0",
					tensor{shape: []int{2, 1, 2000 * 1000, 2, 3}, stride: []int{0, 0, 0, 0, 0}, data: []int64{0}})
			})
		},
		"a deep tree": func() (dict, *given.Facts) {
			return conv(func(_ dict, f *given.Facts) dict {
				f.LayersInOrder[0].InDim, f.LayersInOrder[0].ReceptiveField = []int{1024, 1024}, []int{1, 1}
				f.LayersInOrder[0].TreeDepth, f.LayersInOrder[0].Rank = 0, 0
				f.LayersInOrder = f.LayersInOrder[:1]
				return deep
			})
		},
		"a large pooling": func() (dict, *given.Facts) {
			return conv(func(d dict, f *given.Facts) dict {
				f.LayersInOrder[1] = given.TorchLayer{Type: "OrPooling2d", Kernel: 999, Stride: 1, Padding: ptr(499)}
				f.LayersInOrder = []given.TorchLayer{f.LayersInOrder[1], f.LayersInOrder[2], f.LayersInOrder[3]}
				f.Input.Shape = []int{1, 1000, 1000}
				return d.without("0.tree_weights.0", "0.tree_weights.1", "0.connections._indices_L0", "0.connections._indices_L1")
			})
		},
		"a large sample": func() (dict, *given.Facts) {
			d, f := denseNet()
			f.Input.Shape = []int{1 << 40, 1 << 40}
			return d, f
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, f := make()
			got, most, err := allocated(t, d, f)
			if err == nil || got > most {
				t.Errorf("%d bytes, at most %d: %v", got, most, err)
			}
		})
	}
}

func TestMemoryOfCircuits(t *testing.T) {
	long := circuitOfParts(twoGates, strings.Replace(twoSums, "[4]", "[4"+strings.Repeat(",4", 5<<20)+"]", 1), `"outputs": [9, 8]`)
	gates := []string{twoGates}
	for id := 10; id < 200000; id++ {
		gates = append(gates, fmt.Sprintf(`{"gate_id":%d,"op":"OR","in0":1,"in1":2}`, id))
	}
	many := circuitOfParts(strings.Join(gates, ","), twoSums, `"outputs": [9, 8]`)
	for name, text := range map[string]string{"a long sum": long, "many gates": many} {
		src := circuitText(text)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		n, err := torchlogix.ReadCircuit(src)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 2*src.Size+1<<16 {
			t.Errorf("%s: the circuit holds %d bytes, read from a file of %d", name, held, src.Size)
		}
		runtime.KeepAlive(n)
	}
}
