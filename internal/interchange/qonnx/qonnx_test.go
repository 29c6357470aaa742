package qonnx

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph/graphtest"
	"ialgn/internal/onnx"
)

// maker builds a graph together with functions that compute its values for a sample.
type maker struct {
	m *onnx.Model
	r *rand.Rand
}

func newMaker(seed uint64, kind onnx.DataType, shape ...int64) *maker {
	x := onnx.Value{Name: "x", Type: kind, Known: true, Shape: []onnx.Dim{{Name: "N"}}}
	for _, d := range shape {
		x.Shape = append(x.Shape, onnx.Dim{Size: d})
	}
	return &maker{
		&onnx.Model{
			IRVersion: 8, Opsets: []onnx.Opset{{Version: 13}, {Domain: Domain, Version: 3}},
			Graph: onnx.Graph{Name: "g", Inputs: []onnx.Value{x}},
		},
		rand.New(rand.NewPCG(seed, 0)),
	}
}

// node adds a node. An operand is a name, or a tensor that becomes a constant.
func (m *maker) node(domain, op, out string, operands []any, attributes ...onnx.Attribute) string {
	n := onnx.Node{Op: op, Domain: domain, Outputs: []string{out}, Attributes: attributes}
	for _, o := range operands {
		if t, ok := o.(onnx.Tensor); ok {
			t.Name = fmt.Sprintf("constant%d", len(m.m.Graph.Initializers))
			m.m.Graph.Initializers = append(m.m.Graph.Initializers, t)
			o = t.Name
		}
		n.Inputs = append(n.Inputs, o.(string))
	}
	m.m.Graph.Nodes = append(m.m.Graph.Nodes, n)
	m.m.Graph.Outputs = []onnx.Value{{Name: out}}
	return out
}

func (m *maker) bytes(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := onnx.Write(&b, m.m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// numbers returns n random numbers below a limit.
func (m *maker) numbers(n, below int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = m.r.Int64N(int64(below))
	}
	return list
}

func toBytes(list []int64) (b []byte) {
	for _, v := range list {
		b = append(b, byte(v))
	}
	return b
}

// layer adds a LookupTable and returns the function that it computes on a row.
func (m *maker) layer(from, to string, in, width, slots, inputBits, outBits int) func(x []int) []int {
	indices, lines := m.numbers(width*slots, in), 1<<(slots*inputBits)
	table := m.numbers(width*lines, 1<<outBits)
	w := int64(width)
	m.node(Domain, "LookupTable", to, []any{
		from, onnx.Int64s("", []int64{w, int64(slots)}, indices), onnx.Bytes("", []int64{w, int64(lines)}, toBytes(table)),
	}, onnx.Int("input_bits", int64(inputBits)), onnx.Int("out_bits", int64(outBits)))
	return func(x []int) (y []int) {
		for i := range width {
			address := 0
			for k := range slots {
				address += x[indices[i*slots+k]] << (inputBits * k)
			}
			y = append(y, int(table[i*lines+address]))
		}
		return y
	}
}

// head adds a group sum and returns the function that computes its scores.
func (m *maker) head(from string, classes, each int, beta, tau float32) func(x []int) []float32 {
	m.node("", "Reshape", "grouped", []any{from, onnx.Int64s("", []int64{3}, []int64{-1, int64(classes), int64(each)})})
	m.node("", "Cast", "floats", []any{"grouped"}, onnx.Int("to", 1))
	m.node("", "ReduceSum", "count", []any{"floats"}, onnx.Ints("axes", 2), onnx.Int("keepdims", 1))
	m.node("", "Squeeze", "counts", []any{"count"}, onnx.Ints("axes", -1))
	m.node("", "Add", "shifted", []any{onnx.Float32s("", []int64{1}, []float32{beta}), "counts"})
	m.node("", "Div", "scores", []any{"shifted", onnx.Float32s("", nil, []float32{tau})})
	m.node("", "ArgMax", "class", []any{"scores"}, onnx.Int("axis", 1))
	m.m.Graph.Outputs = []onnx.Value{{Name: "class"}, {Name: "scores"}}
	return func(x []int) (scores []float32) {
		for c := range classes {
			count := float32(0)
			for _, v := range x[c*each : (c+1)*each] {
				count += float32(v)
			}
			scores = append(scores, (count+beta)/tau)
		}
		return scores
	}
}

// check reads the graph and compares its scores with the results of the function want. Features are random numbers
// below the given limit.
func (m *maker) check(t *testing.T, features, below int, want func(x []int) []float32) {
	t.Helper()
	n, err := Read(source(m.bytes(t), nil))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		x, real := make([]int, features), make([]float64, features)
		for i := range x {
			x[i] = m.r.IntN(below)
			real[i] = float64(x[i])
		}
		if got, want := graphtest.Scores(n, real), want(x); !slices.Equal(got, want) {
			t.Fatalf("scores %v, want %v", got, want)
		}
	}
}

// TestLookupTable reads layers whose numbers have several bits. Their tables have more inputs than a node may have.
func TestLookupTable(t *testing.T) {
	for _, c := range []struct{ in, slots, inputBits, middle int }{
		{16, 6, 1, 1}, {16, 1, 1, 1}, {16, 3, 2, 2}, {9, 2, 3, 4}, {12, 1, 8, 3}, {20, 8, 1, 1}, {20, 11, 1, 2}, {20, 5, 2, 1},
	} {
		t.Run(fmt.Sprintf("%d slots of %d bits to %d", c.slots, c.inputBits, c.middle), func(t *testing.T) {
			m := newMaker(1, onnx.Uint8, int64(c.in))
			first := m.layer("x", "y", c.in, 30, c.slots, c.inputBits, c.middle)
			second := m.layer("y", "z", 30, 24, 2, c.middle, 2)
			head := m.head("z", 4, 6, 0.5, 3)
			m.check(t, c.in, 1<<c.inputBits, func(x []int) []float32 { return head(second(first(x))) })
		})
	}
}

// TestJumps reads layers that read the input and earlier layers. The values are rearranged between the layers.
func TestJumps(t *testing.T) {
	m := newMaker(2, onnx.Uint8, 4, 3)
	m.node("", "Transpose", "t", []any{"x"}, onnx.Ints("perm", 0, 2, 1))
	m.node("", "Flatten", "f", []any{"t"})
	first := m.layer("f", "y", 12, 10, 3, 1, 1)
	m.node("", "Concat", "j", []any{"y", "f", "y"}, onnx.Int("axis", 1))
	m.node("", "Gather", "g", []any{"j", onnx.Int64s("", []int64{5}, []int64{-1, 0, 12, 7, 31})}, onnx.Int("axis", -1))
	second := m.layer("g", "z", 5, 12, 4, 1, 1)
	head := m.head("z", 3, 4, 0, 1)
	m.check(t, 12, 2, func(x []int) []float32 {
		var f []int
		for column := range 3 {
			for row := range 4 {
				f = append(f, x[row*3+column])
			}
		}
		y := first(f)
		j := slices.Concat(y, f, y)
		return head(second([]int{j[31], j[0], j[12], j[7], j[31]}))
	})
}

// TestConv reads trees over an image, followed by a pooling of their outputs. The padding is different on each side
// of the image, and the stride is different for rows and columns.
func TestConv(t *testing.T) {
	const rows, columns, channels, kernels, rank = 5, 7, 2, 3, 3
	m := newMaker(3, onnx.Uint8, rows, columns, channels)
	pads, strides, kernel := []int64{1, 0, 2, 3}, []int64{2, 3}, []int64{3, 2}
	indices := m.numbers(kernels*rank*rank, 3*2*channels)
	table := m.numbers(kernels*(rank+1)*8, 2)
	m.node(Domain, "LookupTableConv", "c", []any{
		"x", onnx.Int64s("", []int64{kernels, rank, rank}, indices),
		onnx.Bytes("", []int64{kernels, rank + 1, 8}, toBytes(table)),
	}, onnx.Int("tree_depth", 2), onnx.Ints("kernel_shape", kernel...), onnx.Ints("strides", strides...),
		onnx.Ints("pads", pads...), onnx.Int("channel_group_size", 2))
	m.node("", "Transpose", "first", []any{"c"}, onnx.Ints("perm", 0, 3, 1, 2))
	m.node("", "MaxPool", "p", []any{"first"}, onnx.Ints("kernel_shape", 2, 3), onnx.Ints("pads", 0, 1, 0, 0))
	head := m.head("p", 3, 2*2, 0, 1)
	at := func(x []int, y, z, c int) int {
		if y < 0 || z < 0 || y >= rows || z >= columns {
			return 0
		}
		return x[(y*columns+z)*channels+c]
	}
	m.check(t, rows*columns*channels, 2, func(x []int) []float32 {
		var image [kernels][3][3]int
		for k := range kernels {
			for i := range 3 {
				for j := range 3 {
					root := 0
					for leaf := range rank {
						address := 0
						for slot := range rank {
							p := int(indices[(k*rank+leaf)*rank+slot])
							address += at(x, 2*i-1+p/(2*channels), 3*j+p/channels%2, p%channels) << slot
						}
						root += int(table[(k*4+leaf)*8+address]) << leaf
					}
					image[k][i][j] = int(table[(k*4+rank)*8+root])
				}
			}
		}
		var pooled []int
		for k := range kernels {
			for i := range 2 {
				for j := range 2 {
					v := 0
					for di := range 2 {
						for dj := range 3 {
							if z := j + dj - 1; z >= 0 && z < 3 {
								v |= image[k][i+di][z]
							}
						}
					}
					pooled = append(pooled, v)
				}
			}
		}
		return head(pooled)
	})
}

// TestPassThrough reads a convolution without tables. A LookupTable reads the values of the convolution at each
// position.
func TestPassThrough(t *testing.T) {
	m := newMaker(4, onnx.Uint8, 3, 3, 1)
	m.node(Domain, "LookupTableConv", "c", []any{"x", onnx.Int64s("", []int64{2, 1, 2}, []int64{0, 3, 1, 2})},
		onnx.Int("tree_depth", 0), onnx.Ints("kernel_shape", 2, 2), onnx.Ints("pads", 0, 0, 1, 1))
	first := m.layer("c", "y", 2, 1, 2, 2, 1)
	head := m.head("y", 3, 6, 0, 1)
	m.check(t, 9, 4, func(x []int) []float32 {
		at := func(i, j int) int {
			if i > 2 || j > 2 {
				return 0
			}
			return x[i*3+j]
		}
		var y []int
		for i := range 3 {
			for j := range 3 {
				y = append(y, first([]int{at(i, j), at(i+1, j+1)})...)
				y = append(y, first([]int{at(i, j+1), at(i+1, j)})...)
			}
		}
		return head(y)
	})
}

// TestThresholds reads comparisons that are written in several forms.
func TestThresholds(t *testing.T) {
	for op, exceeds := range map[string]func(x, t int) bool{
		"Greater": func(x, t int) bool { return x > t }, "GreaterOrEqual": func(x, t int) bool { return x >= t },
		"Less": func(x, t int) bool { return t < x }, "LessOrEqual": func(x, t int) bool { return t <= x },
	} {
		for _, shape := range [][]int64{{5, 2}, {1, 2}, {2}} {
			t.Run(fmt.Sprint(op, shape), func(t *testing.T) {
				m := newMaker(5, onnx.Float, 5)
				list := m.numbers(int(shape[0]), 10)
				if len(shape) > 1 {
					list = m.numbers(int(shape[0]*shape[1]), 10)
				}
				var real []float32
				for _, v := range list {
					real = append(real, float32(v))
				}
				m.node("", "Unsqueeze", "u", []any{"x", onnx.Int64s("", []int64{1}, []int64{2})})
				operands := []any{"u", onnx.Float32s("", shape, real)}
				if strings.HasPrefix(op, "Less") {
					slices.Reverse(operands)
				}
				m.node("", op, "b", operands)
				m.node("", "Reshape", "f", []any{"b", onnx.Int64s("", []int64{2}, []int64{0, -1})})
				first := m.layer("f", "y", 10, 12, 3, 1, 1)
				head := m.head("y", 2, 6, 0, 1)
				m.check(t, 5, 10, func(x []int) []float32 {
					var bits []int
					for i := range 10 {
						bit := 0
						if exceeds(x[i/2], int(list[i%len(list)])) {
							bit = 1
						}
						bits = append(bits, bit)
					}
					return head(first(bits))
				})
			})
		}
	}
}

// small returns a graph that can be read. Tests change it in various ways so that it cannot be read.
func small(t testing.TB) *onnx.Model {
	m := newMaker(6, onnx.Uint8, 8)
	m.layer("x", "y", 8, 6, 2, 1, 1)
	m.head("y", 2, 3, 0, 2)
	if _, err := Read(source(m.bytes(t), nil)); err != nil {
		t.Fatal(err)
	}
	return m.m
}

// TestSumOfGraph compares facts with the sum of a graph that has 2 classes, beta 0 and tau 2.
func TestSumOfGraph(t *testing.T) {
	data := (&maker{m: small(t)}).bytes(t)
	for text, want := range map[string]string{
		"group_sum: {k: 2, tau: 2, beta: 0}": "",
		"group_sum: {k: 3}":                  "group_sum.k is 3, but the graph has 2",
		"group_sum: {tau: 2.5}":              "group_sum.tau is 2.5, but the graph has 2",
		"group_sum: {beta: 1}":               "group_sum.beta is 1, but the graph has 0",
	} {
		f, err := given.ParseFacts([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(source(data, f)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestReadRefusesOtherGraphs checks that each graph is refused with the right error.
func TestReadRefusesOtherGraphs(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(m *onnx.Model)
	}{
		{"domain", `it is of the domain "": the operator that is read is of "qonnx.custom_op.lnn"`, func(m *onnx.Model) {
			m.Graph.Nodes[0].Domain = ""
		}},
		{"version", "it uses version 4 of the operators", func(m *onnx.Model) { m.Opsets[1].Version = 4 }},
		{"open axis", `input "x": its axis 1 has the length "C"`, func(m *onnx.Model) {
			m.Graph.Inputs[0].Shape[1] = onnx.Dim{Name: "C"}
		}},
		{"no shape", "its shape is not known", func(m *onnx.Model) { m.Graph.Inputs[0].Known = false }},
		{"real input", "compare them with thresholds by Greater before", func(m *onnx.Model) {
			m.Graph.Inputs[0].Type = onnx.Float
		}},
		{"two inputs", `inputs "x" and "z"`, func(m *onnx.Model) {
			m.Graph.Inputs = append(m.Graph.Inputs, onnx.Value{Name: "z"})
		}},
		{"forged input", "too large, or empty", func(m *onnx.Model) {
			m.Graph.Inputs[0].Shape = []onnx.Dim{{Name: "N"}, {Size: 1 << 20}, {Size: 1 << 20}}
		}},
		{"attribute", `its attribute "surprise" is not known`, func(m *onnx.Model) {
			m.Graph.Nodes[0].Attributes = append(m.Graph.Nodes[0].Attributes, onnx.Int("surprise", 1))
		}},
		{"out_bits", "its out_bits are 1, and its tables have entries of 2 bits", func(m *onnx.Model) {
			m.Graph.Initializers[1].Raw[0] = 3
		}},
		{"index", "it has the index 9 among 8 elements", func(m *onnx.Model) { m.Graph.Initializers[0].Raw[0] = 9 }},
		{"no operand", `it reads "gone", which nothing before it makes`, func(m *onnx.Model) {
			m.Graph.Nodes[0].Inputs[0] = "gone"
		}},
		{"twice", "its output has no name of its own", func(m *onnx.Model) {
			m.Graph.Nodes[1].Outputs[0], m.Graph.Nodes[2].Inputs[0] = "y", "y"
		}},
		{"shape of tables", "do not go together", func(m *onnx.Model) { m.Graph.Initializers[1].Dims = []int64{3, 8} }},
		{"sum of bytes", "may not have room for the sum", func(m *onnx.Model) { m.Graph.Nodes[2].Attributes[0].Int = 2 }},
		{"batch", "axis 0 is none of the axes 1 to 2 of a sample", func(m *onnx.Model) {
			m.Graph.Nodes[3].Attributes[0].Ints[0] = 0
		}},
		{"samples mixed", "does not keep the samples apart", func(m *onnx.Model) {
			m.Graph.Initializers[2] = onnx.Int64s(m.Graph.Initializers[2].Name, []int64{2}, []int64{-1, 2})
		}},
		{"below", "it asks whether x is below a threshold: of comparisons x > t and x >= t are read", func(m *onnx.Model) {
			m.Graph.Inputs[0].Type = onnx.Float
			m.Graph.Initializers = append(m.Graph.Initializers, onnx.Float32s("t", []int64{8}, make([]float32, 8)))
			m.Graph.Nodes = slices.Insert(m.Graph.Nodes, 0, onnx.Node{Op: "Less", Inputs: []string{"x", "t"}, Outputs: []string{"b"}})
			m.Graph.Nodes[1].Inputs[0] = "b"
		}},
		{"no outcome", "no output of its graph depends on look-up tables", func(m *onnx.Model) {
			m.Graph.Outputs[0].Name, m.Graph.Outputs[1].Name = "x", "x"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := maker{m: small(t)}
			c.change(m.m)
			_, err := Read(source(m.bytes(t), nil))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "model.onnx: ") {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestBounded checks that files that declare huge sizes are refused without much memory or time.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() *maker
	}{
		{"doubling", func() *maker {
			m := newMaker(1, onnx.Bool, 64)
			m.layer("x", "v0", 64, 64, 2, 1, 1)
			for i := range 60 {
				v := fmt.Sprint("v", i)
				m.node("", "Concat", fmt.Sprint("v", i+1), []any{v, v}, onnx.Int("axis", 1))
			}
			return m
		}},
		{"many positions", func() *maker {
			m := newMaker(1, onnx.Bool, 1<<13, 1<<11, 1)
			m.node(Domain, "LookupTableConv", "y", []any{
				"x", onnx.Int64s("", []int64{8, 1, 1}, make([]int64, 8)), onnx.Bytes("", []int64{8, 1, 2}, make([]byte, 16)),
			}, onnx.Ints("kernel_shape", 1, 1))
			return m
		}},
		{"one table often", func() *maker {
			m := newMaker(1, onnx.Bool, 64)
			m.layer("x", "y0", 64, 4096, 6, 1, 1)
			for i := range 2000 {
				n := m.m.Graph.Nodes[0]
				m.node(Domain, "LookupTable", fmt.Sprint("y", i+1), []any{fmt.Sprint("y", i), n.Inputs[1], n.Inputs[2]})
			}
			return m
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.make().bytes(t)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			k, tau := 2, 1.0
			_, err := Read(source(data, &given.Facts{Sum: given.GroupSum{K: &k, Tau: &tau}}))
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("the file was read, want an error")
			}
			t.Logf("%v; %d bytes allocated in all for a file of %d", err, after.TotalAlloc-before.TotalAlloc, len(data))
			if took := after.Sys - before.Sys; after.Sys > before.Sys && took > uint64(4*len(data)+64<<20) {
				t.Errorf("reading took %d bytes of memory", took)
			}
		})
	}
}

// TestBrokenFilesDoNotPanic checks that files with flipped bits and truncated files cause no panic.
func TestBrokenFilesDoNotPanic(t *testing.T) {
	files := map[string][]byte{"small": (&maker{m: small(t)}).bytes(t)}
	for _, name := range glob() {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	k, tau := 10, 1.0
	f := &given.Facts{Sum: given.GroupSum{K: &k, Tau: &tau}}
	for _, data := range files {
		r := rand.New(rand.NewPCG(1, 1))
		for range 400 {
			broken := slices.Clone(data)
			for range 1 + r.IntN(3) {
				broken[r.IntN(len(broken))] ^= 1 << r.IntN(8)
			}
			_, _ = Read(source(broken, f))
			_, _ = Read(source(data[:r.IntN(len(data))], f))
		}
	}
}

// glob returns the paths of the models that other programs made.
func glob() []string {
	names, _ := filepath.Glob("../../../../shared/reference/import/qonnx-*/model.onnx")
	return names
}

// FuzzRead reads arbitrary bytes.
func FuzzRead(f *testing.F) {
	f.Add((&maker{m: small(f)}).bytes(f))
	for _, name := range glob() {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data)
		}
	}
	k, tau := 10, 1.0
	f.Fuzz(func(_ *testing.T, data []byte) {
		n, err := Read(source(data, &given.Facts{Sum: given.GroupSum{K: &k, Tau: &tau}}))
		if err == nil && n.Input.Features() < 1<<10 && (n.Circuit == nil || n.Circuit.Nodes() < 1<<12) {
			graphtest.Scores(n, make([]float64, n.Input.Features()))
		}
	})
}
