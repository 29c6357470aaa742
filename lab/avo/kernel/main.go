// Command kernel generates the vector kernels of internal/kernel as Go assembly.
//
//	go run ./kernel -path avx512 -pkg kernel -out X.s -stubs X.go
//
// The flag -path has these values:
//
//   - avx512 and avx2 for the fused kernels;
//   - steps512 and steps2 for the functions of single steps;
//   - relaxed512 and relaxed2 for gates with relaxed values;
//   - nodes512 and nodes2 for look-up tables;
//   - sparse512 and sparse2 for the product with a sparse matrix.
//
// The package comment of internal/kernel and the plain Go functions there define the results and the order of
// operations. A test compares the kernels with the plain functions, to the bit.
//
// Loops, addresses and plain arithmetic are written once for both instruction sets ([width], [gatherStep], [chunks],
// [sumLoop], [blocks]). Code that exists twice uses different instructions. AVX-512 has single instructions to add
// under a mask, to transpose bits by an affine map, to permute bytes, and to sum products of bytes. AVX2 needs
// tables, blends and shuffles, and two vectors for each block.
//
// These measures made training of the networks 8,000 x 6 and 12,000 x 4 faster on Zen 4:
//
//   - gates are processed in the order of memory, 32 gates in each phase;
//   - arrays begin at different places in their pages (5 %);
//   - largest logits are prefetched one block ahead (7 % on CIFAR-10's inputs);
//   - rows of candidates are prefetched one gate ahead (3 % on CIFAR-10's inputs);
//   - groups have up to 96 chains (2 to 4 %);
//   - in AVX2 on Zen 3, the bits of candidates are shifted in registers, and masks select every fifth sample (3 to 5
//     %).
//
// Three measures did not help. These were tables of subset sums in memory, Adam's constants in registers, and
// prefetches that bypass the second-level cache. Separate loops for the sums and for Adam made training 5 to 10 %
// slower.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var (
	path  = flag.String("path", "avx512", "avx512, avx2, steps512, steps2, relaxed512, relaxed2, nodes512, nodes2, sparse512 or sparse2")
	frame = flag.String("frame", "../../internal/kernel/frame.go", "file that declares type frame")
)

func main() {
	flag.Parse()
	if err := readFrame(*frame); err != nil {
		fmt.Fprintln(os.Stderr, "kernel:", err)
		os.Exit(1)
	}
	Package(*frame)
	switch *path {
	case "avx512":
		avx512()
	case "avx2":
		avx2()
	case "steps512":
		steps512()
	case "steps2":
		writeSteps2()
	case "relaxed512":
		relaxed(inAVX512, relaxed512{inAVX512})
	case "relaxed2":
		writeRelaxed2()
	case "nodes512":
		nodes512()
	case "nodes2":
		writeNodes2()
	case "sparse512":
		sparse512()
	case "sparse2":
		sparse2()
	default:
		fmt.Fprintf(os.Stderr, "kernel: -path %q: use avx512, avx2, steps512, steps2, relaxed512, relaxed2, nodes512, nodes2, "+
			"sparse512 or sparse2\n", *path)
		os.Exit(2)
	}
	Generate()
}

// offsets maps the names of fields to their offsets in the frame structs. The suffix of a name says which struct has
// the field. A name without a suffix is a field of frame. The suffix is "." for frameGate, ":" for walk, "/" for
// layerWalk, "!" for nodeFrame and "?" for nodePin.
var (
	offsets            = map[string]int{}
	gateBytes, betaRow int
	nodePinBytes       int
	blockGates         int
	edgesAhead         int
)

func readFrame(file string) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		return err
	}
	c := types.Config{Importer: importer.Default()}
	pkg, err := c.Check("kernel", set, []*ast.File{f}, nil)
	if err != nil {
		return err
	}
	for name, to := range map[string]*int{"edgesAhead": &edgesAhead, "blockGates": &blockGates} {
		n, _ := constant.Int64Val(pkg.Scope().Lookup(name).(*types.Const).Val())
		*to = int(n)
	}
	sizes := types.SizesFor("gc", "amd64")
	for _, name := range []string{"walk", "layerWalk", "nodeFrame", "nodePin", "frame", "frameGate"} {
		s := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		var fields []*types.Var
		for i := range s.NumFields() {
			fields = append(fields, s.Field(i))
		}
		for i, off := range sizes.Offsetsof(fields) {
			offsets[fields[i].Name()+map[string]string{
				"walk": ":", "layerWalk": "/", "frame": "",
				"frameGate": ".", "nodeFrame": "!", "nodePin": "?",
			}[name]] = int(off)
			if name == "frame" && fields[i].Name() == "beta" {
				rows := fields[i].Type().Underlying().(*types.Array)
				betaRow = int(sizes.Sizeof(rows.Elem()))
			}
		}
		if name == "nodePin" {
			nodePinBytes = int(sizes.Sizeof(s))
		}
		gateBytes = int(sizes.Sizeof(s))
	}
	return nil
}

// in returns the memory operand for a field of the frame.
func in(f reg.Register, field string) Mem {
	off, ok := offsets[field]
	if !ok {
		panic("no field " + field)
	}
	return Mem{Base: f, Disp: off}
}

// at returns the memory operand for a word in a field of a frameGate.
func at(gate reg.Register, field string, word int) Mem {
	off, ok := offsets[field+"."]
	if !ok {
		panic("no field " + field)
	}
	return Mem{Base: gate, Disp: off + 4*word}
}

// adamAt returns the memory operand for a constant of Adam.
func adamAt(f reg.Register, i int) Mem { return in(f, "adam").Offset(4 * i) }

// These constants are the indices of Adam's constants in the frame.
const (
	beta1 = iota
	rest1
	beta2
	rest2
	rate
	root
	eps
)

// text begins a function with one argument, which points to a frame or a walk. It returns the register that holds the
// argument.
func text(name, argument string, doc ...string) reg.GPVirtual {
	TEXT(name, NOSPLIT, "func(f *"+argument+")")
	Pragma("noescape")
	Doc(doc...)
	return Load(Param("f"), GP64()).(reg.GPVirtual)
}

// load loads a field of the frame.
func load(f reg.Register, field string) reg.GPVirtual {
	r := GP64()
	MOVQ(in(f, field), r)
	return r
}

// loop emits a loop that runs the body n times. The register n must be at least 1, and is 0 after the loop.
func loop(n Op, body func()) {
	label := fmt.Sprintf("loop%d", labels)
	labels++
	Label(label)
	body()
	DECQ(n)
	JNZ(LabelRef(label))
}

// unless emits a conditional jump over the body, followed by the body.
func unless(jump func(Op), body func()) {
	label := fmt.Sprintf("skip%d", labels)
	labels++
	jump(LabelRef(label))
	body()
	Label(label)
}

var labels int
