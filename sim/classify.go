package sim

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"ialgn/internal/bitplane"
	"ialgn/internal/crew"
	"ialgn/internal/ties"
	"ialgn/netlist"
)

// Classifier classifies samples with the netlist of a classifier. The netlist may have any scope. In the scopes core
// and full, the class is the netlist's output class_index, and the counts are its probes count_0, count_1 and so on.
// In the scope gates, the Classifier counts the ones among the bits of output h for each class of chains, and adds the
// offsets of the classes ([netlist.Netlist.Offsets]). The result is the class with the largest count. If counts are
// equal, it is the first such class in the tie order ([netlist.Netlist.Ties]), or the lowest without an order.
//
// A pipeline is clocked as in hardware: a new block of samples enters in each clock. Counts and class are read from
// the pipeline stages in which they appear, so wrong positions of registers lead to wrong results.
type Classifier struct {
	heads   []*head // one for each goroutine
	input   netlist.Port
	classes int
}

// Result holds the classes and counts of samples.
type Result struct {
	Classes int      // number of classes
	Class   []uint16 // [sample]
	Counts  []int32  // [sample][class]
}

// NewClassifier returns a classifier that computes on the given number of goroutines, each with its own simulator.
// It returns an error if the netlist is invalid, has registers but is not a pipeline, or lacks the ports of a
// classifier.
func NewClassifier(n *netlist.Netlist, threads int) (*Classifier, error) {
	ports := n.DataInputs()
	if len(ports) != 1 {
		return nil, fmt.Errorf("classifier: netlist %q has the input ports %s, need one, x", n.Name, portNames(ports))
	}
	c := &Classifier{input: ports[0]}
	for range max(1, threads) {
		h, err := newHead(n)
		if err != nil {
			return nil, err
		}
		c.heads, c.classes = append(c.heads, h), len(h.counts)
	}
	return c, nil
}

// Inputs returns the number of bit rows that Classify needs, which is the width of the input port.
func (c *Classifier) Inputs() int { return len(c.input.Nets) }

// Classes returns the number of classes.
func (c *Classifier) Classes() int { return c.classes }

// Classify returns counts and classes of samples. The bit rows x of the input port have (samples+63)/64 words each.
// Classify returns an error if x has another size or if ctx ends.
func (c *Classifier) Classify(ctx context.Context, x []uint64, samples int) (*Result, error) {
	words := (samples + 63) / 64
	if samples < 0 || len(x) != words*c.Inputs() {
		return nil, fmt.Errorf("classifier: input has %d words, need %d (%d rows of %d for %d samples)",
			len(x), words*c.Inputs(), c.Inputs(), words, samples)
	}
	r := &Result{c.classes, make([]uint16, samples), make([]int32, samples*c.classes)}
	var next atomic.Int64
	g, ctx := crew.NewGroup(ctx)
	for _, h := range c.heads {
		block := min(h.sim.block, max(1, (words+len(c.heads)-1)/len(c.heads)))
		g.Go(func() error {
			return h.run(ctx, r, c.input, x, block, func() int { return int(next.Add(int64(block))) - block })
		})
	}
	return r, g.Wait()
}

// head reads counts and class from one simulator.
type head struct {
	sim    *Simulator
	counts [][]netlist.Net // [class]: the bits of a binary count, or the bits to count
	class  []netlist.Net   // the netlist's class index; nil: compute argmax of the counts

	offsets []uint32 // [class]: added to the counted bits; nil if the counts are binary or there are no offsets

	digits [][]uint64 // scratch

	// In a pipeline, these are the stages in which counts and class appear.
	countStage []int
	classStage int
}

func newHead(n *netlist.Netlist) (*head, error) {
	s, err := New(n)
	if err != nil {
		return nil, err
	}
	p, err := n.Pipeline()
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	h := &head{sim: s}
	if class, ok := findPort("class_index", n.OutputPorts()); ok {
		h.class, err = class.Nets, h.findCounts()
	} else {
		err = h.findChains()
	}
	if err != nil {
		return nil, err
	}
	h.countStage = make([]int, len(h.counts))
	if p != nil {
		s.enable(n.InputPorts()[p.Enable].Nets[0])
		h.place(n.Stages())
	}
	return h, nil
}

// enable sets the enable net of all registers to 1.
func (s *Simulator) enable(v netlist.Net) { fill(s.value[int(v)*s.block:][:s.block], ^uint64(0)) }

// place determines the stages in which to read counts and class. All bits of a bus are in the same stage, except
// constant bits.
func (h *head) place(stage []int32) {
	latest := func(nets []netlist.Net) int {
		last := 0
		for _, v := range nets {
			last = max(last, int(stage[v]))
		}
		return last
	}
	for class, nets := range h.counts {
		h.countStage[class] = latest(nets)
		h.classStage = max(h.classStage, h.countStage[class])
	}
	if h.class != nil {
		h.classStage = latest(h.class)
		return
	}
	for class := range h.countStage { // bits of one output port, so in one stage
		h.countStage[class] = h.classStage
	}
}

// findCounts finds the bits of the binary counts.
func (h *head) findCounts() error {
	n := h.sim.n
	for {
		p, ok := findPort(fmt.Sprintf("count_%d", len(h.counts)), n.Probes())
		if !ok {
			break
		}
		if len(p.Nets) > 31 {
			return fmt.Errorf("classifier: probe %q has %d bits, a count has at most 31", p.Name, len(p.Nets))
		}
		h.counts = append(h.counts, p.Nets)
	}
	if len(h.counts) == 0 || len(h.class) > 16 {
		return fmt.Errorf("classifier: netlist %q has a class index of %d bits and %d probes count_0 ..., need at most 16 "+
			"and at least one",
			n.Name, len(h.class), len(h.counts))
	}
	return nil
}

// findChains finds the bits to count for each class.
func (h *head) findChains() error {
	n := h.sim.n
	p, ok := findPort("h", n.OutputPorts())
	if !ok {
		return fmt.Errorf("classifier: netlist %q has the outputs %s, need class_index or h", n.Name,
			portNames(n.OutputPorts()))
	}
	chains := n.ChainClasses()
	if len(p.Nets) == 0 || len(chains) != len(p.Nets) {
		return fmt.Errorf("classifier: netlist %q has %d bits of h but classes for %d chains", n.Name, len(p.Nets),
			len(chains))
	}
	for i, v := range p.Nets {
		for int(chains[i]) >= len(h.counts) {
			h.counts = append(h.counts, nil)
		}
		h.counts[chains[i]] = append(h.counts[chains[i]], v)
	}
	h.offsets = n.Offsets()
	return nil
}

// run classifies blocks of samples. The function next returns the index of the first word of the next block. After
// the last block, next returns an index beyond the rows of x. In a pipeline, several blocks are in different stages
// at the same time. After the last block, run continues to clock the pipeline until all results are out.
func (h *head) run(ctx context.Context, r *Result, port netlist.Port, x []uint64, block int, next func() int) error {
	words := len(x) / len(port.Nets)
	last := max(h.classStage, slices.Max(h.countStage))
	const none = -1
	in := make([]int, last+1) // [stage]: the first word of the block in that stage
	for i := range in {
		in[i] = none
	}
	h.sim.words = block
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(in[1:], in)
		if in[0] = next(); in[0] >= words {
			in[0] = none
		}
		if slices.Max(in) == none {
			return nil
		}
		if in[0] != none {
			h.sim.load(port, x, words, in[0])
		}
		h.sim.eval()
		h.store(r, in)
		h.sim.clock()
	}
}

// load copies one block of words into the nets of a port. Each row has stride words, and the block begins at the word
// with the index first in each row. At the end of a row, load may copy words of the next row, which are ignored.
func (s *Simulator) load(port netlist.Port, rows []uint64, stride, first int) {
	for r, v := range port.Nets {
		copy(s.Net(v), rows[r*stride+first:])
	}
}

// store writes the simulator's counts and classes to r. The block in pipeline stage i begins with word in[i]. If
// in[i] is negative, there is no block in this stage.
func (h *head) store(r *Result, in []int) {
	for class, stage := range h.countStage {
		if in[stage] >= 0 {
			h.storeCount(r, in[stage], class)
		}
	}
	first := in[h.classStage]
	if first < 0 {
		return
	}
	if h.class != nil {
		h.storeClass(r, first)
		return
	}
	for i := first * 64; i < min(len(r.Class), (first+h.sim.words)*64); i++ {
		r.Class[i] = uint16(ties.Winner(r.Counts[i*r.Classes:][:r.Classes], h.sim.n.Ties()))
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
	offset := int32(0)
	if h.offsets != nil {
		offset = int32(h.offsets[class])
	}
	transpose(digits, first, len(r.Class), func(sample int, value uint64) {
		r.Counts[sample*r.Classes+class] = int32(value) + offset
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

// transpose converts bit rows to one number for each sample. Each row holds one binary digit of the numbers. Word 0
// of a row belongs to the samples from 64*first on.
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
