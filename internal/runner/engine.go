// Package runner classifies samples by machine code that is made of a netlist in the process (package
// internal/native), many times as fast as the simulator.
//
// An [Engine] is made once for a netlist and an instruction set and has the code in executable memory until nothing
// refers to it any more. It gives exactly what [sim.Classifier] gives.
//
// Each thread takes some blocks of samples at a time: it lays their bit rows out as the code wants them, calls the
// segments of the code in turn, and reads classes and counts off the rows that come out. Where code has the kernels of
// convolutions once, blocks go one after the other through the images, of which there is one of each, and then all of
// them together through what reads the last image.
//
// A goroutine in machine code is not preempted, and the garbage collector waits for it. So calls are short, less than
// 100 us on a processor of 2 GHz: a segment has few operations, and runs over maxBlocks blocks at most; rows are made
// of feature words by as many functions as it takes for many features or thresholds (internal/native/rows); numbers are
// made of fewer samples at a time where there are hundreds of classes.
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
	inputs     int // bit rows of the input port
	classifier *wordcode.Classifier
	threads    int
	blocks     int              // how many are classified at a time
	piece      int              // of how many samples a call makes the numbers
	features   *native.Features // nil: it takes bit rows alone
	workers    sync.Pool        // of *worker
}

// ISAs returns the instruction sets of this processor for which code can be made and run, the fastest first. There are
// none where the system forbids memory that is executable, and the error says why.
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

// New returns an engine of the netlist of a classifier in any scope, which must be valid; a pipeline computes what
// its stages compute together. A netlist as it is frozen needs no passes before: what they remove takes no
// instruction, or waits for memory meanwhile (docs/BENCHMARKS.md). Without threads it uses all processors. It
// returns an error if the netlist is no classifier, too large, or if the system does not run code that it has made.
func New(n *netlist.Netlist, isa *native.ISA, threads int) (*Engine, error) {
	return newEngine(n, isa, threads, nil)
}

// NewWords is [New] for an engine that takes feature words, too ([ClassifyWords]).
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

// NewLooped returns an engine of a network of convolutions that has the code of each kernel once
// ([native.CompileLooped]). With features it takes feature words, too. Its errors are those of [New].
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

// mapped puts the code of an engine into executable memory, and completes the engine.
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

// Code returns the code, which must not be changed.
func (e *Engine) Code() *native.Code { return e.code }

// Inputs returns the number of bit rows of the input port.
func (e *Engine) Inputs() int { return e.inputs }

// Classes returns the number of classes.
func (e *Engine) Classes() int { return len(e.classifier.Counts) }

// cacheBudget is how much memory the rows of all blocks of a call should take at most: half of a second cache.
const cacheBudget = 512 << 10

// maxBlocks is enough for the fetching of code to be small beside its running.
const maxBlocks = 8

func blocksOf(c *native.Code) int {
	return min(maxBlocks, max(1, cacheBudget/(c.ISA.RowBytes*(c.Last+c.State))))
}

// withHead returns the netlist of a classifier with its head: if it has an output h instead of a class, with the
// counts of the bits of h by the class of their chain, and their argmax.
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
		largest = max(largest, len(counted[class]))
	}
	width, none := bits.Len(uint(largest)), netlist.Origin{}
	var words []netlist.Net
	for class, in := range counted {
		word := make([]netlist.Net, width) // of constants 0
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

// address returns the address of the first element.
func address(s []uint64) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
