// Package runner classifies samples with machine code. It generates the code from a netlist at run time (package
// internal/native). The code is many times faster than the simulator.
//
// An [Engine] is made once for a netlist and an instruction set. It holds the code in executable
// memory until nothing refers to the engine any more. Its results equal the results of [sim.Classifier].
//
// Each thread takes some blocks of samples at a time. It copies their bit rows into the layout of the code, calls the
// code's segments in turn, and reads classes and counts from the output rows. If the code has each kernel of a
// convolution only once, there is only one set of images. In this case, the convolutions are computed block by block,
// and then the rest of the network for all blocks together.
//
// A goroutine in machine code is not preempted, and the garbage collector waits for it. So calls are short, less than
// 100 us on a 2 GHz processor. A segment has few operations, and a call runs one segment on at most maxBlocks blocks.
// If there are many features or thresholds, the rows are computed from feature words by several functions
// (internal/native/rows). If there are hundreds of classes, a call computes the classes and counts for fewer samples.
package runner

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"ialgn/internal/native"
	"ialgn/internal/nativecall"
	"ialgn/internal/positions"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Engine classifies samples with machine code. Several goroutines may use it at once.
type Engine struct {
	code       *native.Code
	mapped     *nativecall.Code
	inputs     int // number of bit rows of the input port
	classifier *wordcode.Classifier
	threads    int
	blocks     int              // number of blocks classified at a time
	piece      int              // number of samples whose classes and counts a call computes
	features   *native.Features // nil if the engine only takes bit rows
	workers    sync.Pool        // holds *worker
}

// ISAs returns the instruction sets of this processor for which code can be generated and run, fastest first. If the
// system forbids executable memory, it returns no instruction sets, and the error says why.
func ISAs() (all []*native.ISA, err error) {
	if !nativecall.Available {
		return nil, fmt.Errorf("machine code is run on Linux alone, on x86-64 and 64-bit Arm, not on %s/%s", runtime.GOOS,
			runtime.GOARCH)
	}
	for _, isa := range native.ISAs {
		if isa.Arch == runtime.GOARCH && isa.Available() {
			all = append(all, isa)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the processor has none of the instruction sets " + strings.Join(names(native.ISAs), ", "))
	}
	trial, err := nativecall.Map([]byte{0})
	if err != nil {
		return nil, err
	}
	return all, trial.Close()
}

func names(sets []*native.ISA) (all []string) {
	for _, isa := range sets {
		all = append(all, isa.Name)
	}
	return all
}

// New returns an engine for the netlist of a classifier in any scope, which must be valid. A pipeline is run as the
// combinational logic of all its stages. A netlist from package freeze need not be optimised first. Cells that passes
// would remove cost no time, because they take no instructions or run while other cells wait for memory
// (docs/evidence/benchmarks.md). threads <= 0 means all processors. New returns an error if the netlist is not a
// classifier, if it is too large, or if the system does not run generated code.
func New(n *netlist.Netlist, isa *native.ISA, threads int) (*Engine, error) {
	return newEngine(n, isa, threads, nil)
}

// NewWords is like [New], but the engine also takes feature words ([ClassifyWords]).
func NewWords(n *netlist.Netlist, isa *native.ISA, threads int, f *native.Features) (*Engine, error) {
	return newEngine(n, isa, threads, f)
}

func newEngine(n *netlist.Netlist, isa *native.ISA, threads int, f *native.Features) (*Engine, error) {
	n, _, err := netlist.Transparent(n)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", isa.Name, err)
	}
	n = withHead(n)
	c := wordcode.NewClassifier(n)
	if c == nil {
		return nil, fmt.Errorf("engine %s: netlist %q has not one input port, class_index and counts", isa.Name, n.Name)
	}
	var code *native.Code
	if f == nil {
		code, err = native.Compile(n, isa)
	} else {
		code, err = native.CompileClassifier(n, isa, f)
	}
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", isa.Name, err)
	}
	return mapped(&Engine{code: code, inputs: len(n.InputPorts()[0].Nets), classifier: c, threads: threads, features: f})
}

// NewLooped returns an engine for a network of convolutions. The code has each kernel once ([native.CompileLooped]).
// If f is not nil, the engine also takes feature words. It returns the errors of [New].
func NewLooped(n *positions.Network, isa *native.ISA, threads int, f *native.Features) (*Engine, error) {
	c := wordcode.NewClassifier(n.Rest)
	if c == nil {
		return nil, fmt.Errorf("engine %s: netlist %q has not one input port, class_index and counts", isa.Name, n.Rest.Name)
	}
	code, err := native.CompileLooped(n, isa, f)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", isa.Name, err)
	}
	return mapped(&Engine{code: code, inputs: n.Inputs(), classifier: c, threads: threads, features: f})
}

// mapped copies the code of an engine into executable memory and completes the engine.
func mapped(e *Engine) (*Engine, error) {
	var err error
	if e.mapped, err = nativecall.Map(e.code.Text); err != nil {
		return nil, fmt.Errorf("engine %s: %w", e.ISA().Name, err)
	}
	if e.threads <= 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	e.blocks, e.piece = blocksOf(e.code), pieceOf(e.classifier)
	runtime.AddCleanup(e, func(m *nativecall.Code) { _ = m.Close() }, e.mapped)
	return e, nil
}

// ISA returns the instruction set of the code.
func (e *Engine) ISA() *native.ISA { return e.code.ISA }

// Code returns the code. The caller must not change it.
func (e *Engine) Code() *native.Code { return e.code }

// Inputs returns the number of bit rows of the input port.
func (e *Engine) Inputs() int { return e.inputs }

// Classes returns the number of classes.
func (e *Engine) Classes() int { return len(e.classifier.Counts) }

// cacheBudget is the desired maximum size of all rows that a call uses. It is half of a second-level cache.
const cacheBudget = 512 << 10

// maxBlocks is the maximum number of blocks in a call. With this number, instruction fetches take little time
// compared with execution.
const maxBlocks = 8

func blocksOf(c *native.Code) int {
	return min(maxBlocks, max(1, cacheBudget/(c.ISA.RowBytes*(c.Last+c.State))))
}

// withHead returns the netlist of a classifier with its head. If the netlist has an output h
// instead of a class, withHead adds a popcount of h's bits for each class, with the class's offset, and
// the argmax of these counts.
func withHead(n *netlist.Netlist) *netlist.Netlist {
	outputs := n.OutputPorts()
	if len(outputs) != 1 || outputs[0].Name != "h" || len(n.ChainClasses()) != len(outputs[0].Nets) {
		return n
	}
	c := netlist.NewCopier(n)
	for i := range netlist.Cell(n.Cells()) {
		c.Copy(i)
	}
	counted := make([][]netlist.Net, int(slices.Max(n.ChainClasses()))+1)
	largest := 0
	for i, class := range n.ChainClasses() {
		counted[class] = append(counted[class], c.To(outputs[0].Nets[i]))
	}
	for class, in := range counted {
		if n.Offsets() != nil {
			in = append(in, slices.Repeat([]netlist.Net{netlist.True}, int(n.Offsets()[class]))...)
		}
		counted[class], largest = in, max(largest, len(in))
	}
	width, none := bits.Len(uint(largest)), netlist.Origin{}
	var words []netlist.Net
	for class, in := range counted {
		word := make([]netlist.Net, width) // all bits are the constant 0
		if len(in) > 0 {
			copy(word, netlist.Word(c.Cell(netlist.Popcount, 0, none, in...), bits.Len(uint(len(in)))))
		}
		c.Probe(fmt.Sprintf("count_%d", class), word)
		words = append(words, word...)
	}
	index := netlist.ClassBits(len(counted))
	c.Output("class_index", index, nil, netlist.Word(c.Cell(netlist.Argmax, uint64(width), none, words...), index))
	return c.Netlist()
}

// address returns the address of the first element of s.
func address(s []uint64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
