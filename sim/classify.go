package sim

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ialgn/internal/bitplane"
	"ialgn/netlist"
)

// Classifier classifies samples with the netlist of a whole classifier, whatever its
// scope. With a head in the netlist (core, full) the class is the netlist's own output
// class_index and the counts are its probes count_0, count_1, ...; without (gates) the
// bits of the output h are counted by the class of their chain, and the class is the
// largest count's, the lowest where several are equal.
type Classifier struct {
	heads   []*head // one a goroutine
	input   netlist.Port
	classes int
}

// Result holds what a classifier says about samples.
type Result struct {
	Classes int      // number of classes
	Class   []uint16 // [sample]
	Counts  []int32  // [sample][class]
}

// NewClassifier returns a classifier that computes on the given number of goroutines,
// each with a simulator of its own. It returns an error if the netlist breaks an
// invariant, has registers, or lacks the ports of a classifier.
func NewClassifier(n *netlist.Netlist, threads int) (*Classifier, error) {
	if len(n.InputPorts()) != 1 {
		return nil, fmt.Errorf("classifier: netlist %q has the input ports %s, need one, x", n.Name, portNames(n.InputPorts()))
	}
	c := &Classifier{input: n.InputPorts()[0]}
	for range max(1, threads) {
		h, err := newHead(n)
		if err != nil {
			return nil, err
		}
		c.heads, c.classes = append(c.heads, h), len(h.counts)
	}
	return c, nil
}

// Inputs returns the number of bit rows that a classification needs: the width of
// the input port.
func (c *Classifier) Inputs() int { return len(c.input.Nets) }

// Classes returns the number of classes.
func (c *Classifier) Classes() int { return c.classes }

// Classify returns counts and class of the first samples of the bit rows x of the
// input port, (samples+63)/64 words a row. It returns an error if x has another size,
// or ctx's.
func (c *Classifier) Classify(ctx context.Context, x []uint64, samples int) (*Result, error) {
	words := (samples + 63) / 64
	if samples < 0 || len(x) != words*c.Inputs() {
		return nil, fmt.Errorf("classifier: input has %d words, need %d (%d rows of %d for %d samples)",
			len(x), words*c.Inputs(), c.Inputs(), words, samples)
	}
	r := &Result{c.classes, make([]uint16, samples), make([]int32, samples*c.classes)}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for _, h := range c.heads {
		block := min(h.sim.block, max(1, (words+len(c.heads)-1)/len(c.heads)))
		g.Go(func() error {
			for {
				first := int(next.Add(int64(block))) - block
				if first >= words {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				h.sim.run([][]uint64{x}, words, first, min(block, words-first))
				h.store(r, first)
			}
		})
	}
	return r, g.Wait()
}

// head reads counts and class of a block off one simulator.
type head struct {
	sim    *Simulator
	counts [][]netlist.Net // [class]: the digits of a count, or the bits to count
	class  []netlist.Net   // the netlist's class index; nil: argmax of the counts
	digits [][]uint64      // scratch
}

func newHead(n *netlist.Netlist) (*head, error) {
	s, err := New(n)
	if err != nil {
		return nil, err
	}
	if len(s.regs) > 0 {
		return nil, fmt.Errorf("classifier: netlist %q has %d registers, classify with the unpipelined one", n.Name, len(s.regs))
	}
	if p, ok := findPort("class_index", n.OutputPorts()); ok {
		return coreHead(s, p.Nets)
	}
	return gatesHead(s)
}

func coreHead(s *Simulator, class []netlist.Net) (*head, error) {
	h := &head{sim: s, class: class}
	for {
		p, ok := findPort(fmt.Sprintf("count_%d", len(h.counts)), s.n.Probes())
		if !ok {
			break
		}
		if len(p.Nets) > 31 {
			return nil, fmt.Errorf("classifier: probe %q has %d bits, a count has at most 31", p.Name, len(p.Nets))
		}
		h.counts = append(h.counts, p.Nets)
	}
	if len(h.counts) == 0 || len(class) > 16 {
		return nil, fmt.Errorf("classifier: netlist %q has a class index of %d bits and %d probes count_0 ..., need at most 16 and at least one",
			s.n.Name, len(class), len(h.counts))
	}
	return h, nil
}

func gatesHead(s *Simulator) (*head, error) {
	n := s.n
	p, ok := findPort("h", n.OutputPorts())
	if !ok {
		return nil, fmt.Errorf("classifier: netlist %q has the outputs %s, need class_index or h", n.Name, portNames(n.OutputPorts()))
	}
	chains := n.ChainClasses()
	if len(p.Nets) == 0 || len(chains) != len(p.Nets) {
		return nil, fmt.Errorf("classifier: netlist %q has %d bits of h but classes for %d chains", n.Name, len(p.Nets), len(chains))
	}
	h := &head{sim: s}
	for i, v := range p.Nets {
		for int(chains[i]) >= len(h.counts) {
			h.counts = append(h.counts, nil)
		}
		h.counts[chains[i]] = append(h.counts[chains[i]], v)
	}
	return h, nil
}

// store writes the block that the simulator holds into r, from word first on.
func (h *head) store(r *Result, first int) {
	for class := range h.counts {
		h.storeCount(r, first, class)
	}
	if h.class != nil {
		h.storeClass(r, first)
		return
	}
	for i := first * 64; i < min(len(r.Class), (first+h.sim.words)*64); i++ {
		r.Class[i] = uint16(argmax(r.Counts[i*r.Classes:][:r.Classes]))
	}
}

func (h *head) storeCount(r *Result, first, class int) {
	s := h.sim
	digits := h.digits[:0]
	if h.class != nil {
		for _, v := range h.counts[class] {
			digits = append(digits, s.Net(v))
		}
	} else {
		s.count.total(s, h.counts[class])
		for d := range len(s.count.sum) / s.block {
			digits = append(digits, s.count.row(s.count.sum, d, s.words))
		}
	}
	h.digits = digits
	transpose(digits, first, len(r.Class), func(sample int, value uint64) {
		r.Counts[sample*r.Classes+class] = int32(value)
	})
}

func (h *head) storeClass(r *Result, first int) {
	digits := h.digits[:0]
	for _, v := range h.class {
		digits = append(digits, h.sim.Net(v))
	}
	h.digits = digits
	transpose(digits, first, len(r.Class), func(sample int, value uint64) {
		r.Class[sample] = uint16(value)
	})
}

// transpose turns rows of digits, the first of which is word first of the samples,
// into one number a sample.
func transpose(digits [][]uint64, first, samples int, put func(sample int, value uint64)) {
	for w := range digits[0] {
		var m [64]uint64
		for d := range digits {
			m[d] = digits[d][w]
		}
		bitplane.Transpose(&m)
		for i := range min(64, samples-(first+w)*64) {
			put((first+w)*64+i, m[i])
		}
	}
}

// argmax returns the index of the largest count, the lowest where several are equal.
func argmax(counts []int32) int {
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return best
}
