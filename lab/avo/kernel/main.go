// Command kernel writes the vector kernels of internal/kernel as Go assembly.
//
//	go run ./kernel -path avx512 -pkg kernel -out X.s -stubs X.go
//
// avx512 and avx2 are the fused kernels, steps512 and steps2 the functions of single steps,
// relaxed512 and relaxed2 those of gates with relaxed values, nodes512 and nodes2 those of
// look-up tables, sparse512 and sparse2 the product with a sparse matrix.
// What is computed, and in which order, is told by the package comment of
// internal/kernel and by its plain Go path, which a test compares to the bit.
//
// Loops, addresses and plain arithmetic are written once for both instruction sets ([width], [gatherStep], [chunks],
// [sumLoop], [blocks]). What is left twice has other instructions: AVX-512 adds under a mask, turns bits by an affine
// map, permutes bytes and sums products of bytes in one instruction each; AVX2 does the same by tables, blends and
// shuffles, over two vectors a block.
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

// The offsets of the fields of the frame, those of frameGate with a dot, of walk with a
// colon, of layerWalk with a slash, of nodeFrame and nodePin with ! and ? after.
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
	ahead, _ := constant.Int64Val(pkg.Scope().Lookup("edgesAhead").(*types.Const).Val())
	edgesAhead = int(ahead)
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
				betaRow, blockGates = int(sizes.Sizeof(rows.Elem())), int(rows.Len())
			}
		}
		if name == "nodePin" {
			nodePinBytes = int(sizes.Sizeof(s))
		}
		gateBytes = int(sizes.Sizeof(s))
	}
	return nil
}

// in returns the frame's field.
func in(f reg.Register, field string) Mem {
	off, ok := offsets[field]
	if !ok {
		panic("no field " + field)
	}
	return Mem{Base: f, Disp: off}
}

// at returns the word of a frameGate's field.
func at(gate reg.Register, field string, word int) Mem {
	off, ok := offsets[field+"."]
	if !ok {
		panic("no field " + field)
	}
	return Mem{Base: gate, Disp: off + 4*word}
}

// adamAt returns a constant of Adam.
func adamAt(f reg.Register, i int) Mem { return in(f, "adam").Offset(4 * i) }

// The constants of Adam in the frame.
const (
	beta1 = iota
	rest1
	beta2
	rest2
	rate
	root
	eps
)

// text begins a function that takes a frame or a walk, and returns the register that
// holds it.
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

// loop writes the body n times in a loop; n is at least 1 and is used up.
func loop(n Op, body func()) {
	label := fmt.Sprintf("loop%d", labels)
	labels++
	Label(label)
	body()
	DECQ(n)
	JNZ(LabelRef(label))
}

// unless writes the body, to be jumped over when the last comparison says so.
func unless(jump func(Op), body func()) {
	label := fmt.Sprintf("skip%d", labels)
	labels++
	jump(LabelRef(label))
	body()
	Label(label)
}

var labels int
