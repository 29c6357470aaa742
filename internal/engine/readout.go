package engine

import (
	"slices"

	"ialgn/internal/crew"
	"ialgn/internal/detmath"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// readout computes the sums of the gates of each class (GroupSum in the paper), the loss, and the gradient of the
// loss.
type readout struct {
	classes  int
	perClass int // number of gates in the last layer for each class
	words    int // number of words in a row of bits
	tau      float32
	counts   []float64   // [classes][samples, padded]
	deltas   []float32   // [classes][samples, padded], the gradient for each gate of the class
	delta    [][]float32 // deltas, split by class
	logits   [][]float32 // logits of one sample, [threads][classes]
	losses   []float64   // weighted loss of each sample
	right    []bool
	ones     []float32 // weights of classes for batches without weights
	weights  []float32 // weight of each class in the current batch
	weight   float64   // sum of the weights of the current batch's samples

	comm  ranks.Comm // nil if this rank has all nodes of the last layer
	given []int32    // the counts and the note, summed over all ranks
}

func newReadout(m *model.Model, words, threads int) *readout {
	classes, padded := len(m.Classes), words*64
	r := &readout{
		classes: classes, perClass: m.Width / classes, words: words, tau: float32(m.Config.Model.Tau),
		counts: make([]float64, classes*padded), deltas: make([]float32, classes*padded), losses: make([]float64, padded),
		right: make([]bool, padded),
	}
	for c := range classes {
		r.delta = append(r.delta, r.deltas[c*padded:][:padded])
	}
	for range threads {
		r.logits = append(r.logits, make([]float32, classes))
	}
	r.ones = slices.Repeat([]float32{1}, classes)
	return r
}

// top returns the gradients of the output of gate i of the last layer, one for each sample.
func (r *readout) top(i int) []float32 { return r.delta[i/r.perClass] }

// add sets the class counts to the sum of the goroutines' counts.
func (r *readout) add(tallies []*tally) {
	clear(r.counts)
	for _, t := range tallies {
		from := t.lo / r.perClass * r.words * 64
		for i, n := range t.counts {
			r.counts[from+i] += float64(n)
		}
	}
}

// join connects the readout to all ranks, so that class counts are summed over the ranks.
func (r *readout) join(all ranks.Comm) {
	r.comm, r.given = all, make([]int32, len(r.counts)+1)
}

// result returns the outcome of a batch from the counts of all goroutines.
func (b *base) result(tallies []*tally, batch Batch) Result {
	if b.comm == nil {
		b.add(tallies)
		return b.loss(b.crew, batch)
	}
	notes, err := b.addAll(tallies, batch.Note)
	if err != nil {
		return Result{Err: err}
	}
	r := b.loss(b.crew, batch)
	r.Notes = notes
	return r
}

// addAll sets the class counts to the sum of the counts of all goroutines of all ranks, and returns
// the sum of the ranks' notes.
func (r *readout) addAll(tallies []*tally, note int32) (notes int32, err error) {
	clear(r.given)
	for _, t := range tallies {
		from := t.lo / r.perClass * r.words * 64
		for i, n := range t.counts {
			r.given[from+i] += n
		}
	}
	r.given[len(r.counts)] = note
	if err := r.comm.Sum(r.given); err != nil {
		return 0, err
	}
	for i := range r.counts {
		r.counts[i] = float64(r.given[i])
	}
	return r.given[len(r.counts)], nil
}

// sumValues adds up the values of the last layer's nodes of a class, for each sample. It adds in order and in double
// precision.
func (r *readout) sumValues(c, samples int, rows []float32) {
	row := r.words * 64
	counts := r.counts[c*row:][:samples]
	clear(counts)
	for i := range r.perClass {
		for s, v := range rows[(c*r.perClass+i)*row:][:samples] {
			counts[s] += float64(v)
		}
	}
}

// loss returns the weighted mean cross-entropy of the batch and the number of correct classifications, computed from
// the class counts. It writes the gradient with respect to each gate's output to delta. For a sample of class y, this
// gradient is w_y (softmax(z)_c - [y = c]) / (W tau), where z_c = count_c / tau, w_y is the weight of class y, and W is
// the sum of the weights of the batch. If counts tie, the lowest class wins. The gradient of padding is zero.
func (r *readout) loss(crew *crew.Crew, batch Batch) Result {
	labels := batch.Labels
	n := len(labels)
	r.weigh(batch)
	for _, d := range r.delta {
		clear(d[n:])
	}
	crew.Run(func(i int) {
		for s := n * i / len(r.logits); s < n*(i+1)/len(r.logits); s++ {
			r.losses[s], r.right[s] = r.sample(s, labels[s], r.logits[i])
		}
	})
	return r.total(n)
}

// total adds up the outcomes of n samples in order, so that the sum does not depend on the number of threads.
func (r *readout) total(n int) (all Result) {
	for s, l := range r.losses[:n] {
		all.Loss += l
		if r.right[s] {
			all.Correct++
		}
	}
	all.Loss /= r.weight
	return all
}

// weigh sets the weights of the classes and the sum of the weights of a batch's samples.
func (r *readout) weigh(b Batch) {
	if r.weights = b.Weights; r.weights == nil {
		r.weights = r.ones
	}
	r.weight = 0
	for _, y := range b.Labels {
		r.weight += float64(r.weights[y])
	}
}

// sample computes the weighted loss and the gradient of sample s, whose class is y.
func (r *readout) sample(s int, y uint8, z []float32) (loss float64, right bool) {
	w := float64(r.weights[y])
	scale := float32(r.weight * float64(r.tau) / w)
	best := r.scores(s, z)
	top, sum := z[best], 0.0
	loss = float64(top) - float64(z[y])
	for c := range z {
		z[c] = detmath.Exp(z[c] - top)
		sum += float64(z[c])
	}
	for c, p := range z {
		p = float32(float64(p) / sum)
		if c == int(y) {
			p--
		}
		r.delta[c][s] = p / scale
	}
	return w * (loss + detmath.Log(sum)), best == int(y)
}

// scores writes the logits of sample s to z and returns the class with the largest count.
func (r *readout) scores(s int, z []float32) (best int) {
	padded := r.words * 64
	for c := range z {
		n := r.counts[c*padded+s]
		z[c] = float32(n) / r.tau
		if n > r.counts[best*padded+s] {
			best = c
		}
	}
	return best
}
