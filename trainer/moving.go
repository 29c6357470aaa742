package trainer

import (
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/trainer/internal/learned"
)

// How thresholds move. Measured with chains of two nodes of six pins on MNIST, and on tables of measured values.
const (
	// movingBatches is how many batches at the end of an epoch gradients are summed over, all if there are fewer.
	movingBatches = 32

	// movingReach is the share of the samples of those batches that a threshold passes at most after the first epoch, and
	// movingFlips the share that changes of what all pins read of all samples. Both fall evenly to none: the first steps
	// find the place, the last ones must not disturb what the nodes have learnt since. Without the second limit a table of
	// few features, whose bits are read by a hundred pins each, has a tenth of all that is read changed each epoch.
	movingReach = 0.1
	movingFlips = 0.05

	// movingUntil is the share of the epochs after which no threshold moves. It leaves one epoch at least.
	movingUntil = 0.6
)

// moving says when thresholds move, and holds what for (encoder.thresholds: learned): all from the configuration and
// the position, so that a resumed run goes on the same way.
type moving struct {
	sums     *learned.Sums // of the window, once it has begun; nil outside of windows
	restored learned.State // of a checkpoint, until sums have it
	price    learned.Price // of thresholds (train.cost); nil: none

	stale           bool // levels of test and validation part are not those of the thresholds
	validationWords *encoding.Packed
	counted         []int32 // 0, 1, 2 and so on, as many as a batch has samples
}

// Tensors of a checkpoint that hold the sums of an unfinished window.
const (
	sumBitsTensor = model.ExtraTensors + "thresholds.bits"
	sumTensor     = model.ExtraTensors + "thresholds.sums"
	countTensor   = model.ExtraTensors + "thresholds.counts"
)

// movingEnd returns up to which epoch thresholds move: 0 if they are not learned.
func (s *session) movingEnd() float64 {
	if !s.Config.Encoder.Learned() {
		return 0
	}
	return float64(movingUntil * float64(s.Config.Train.Epochs))
}

// windowFirst returns the first batch of the current epoch whose gradients are summed; ok is false if those of none
// are.
func (s *session) windowFirst() (first int, ok bool) {
	return max(0, s.batches()-movingBatches), float64(s.at.Epoch+1) <= s.movingEnd()
}

// windowBegun reports whether some batches of the window are done, and some are not.
func (s *session) windowBegun() bool {
	first, ok := s.windowFirst()
	return ok && s.at.Batch > first && s.at.Batch < s.batches()
}

// beginSums tells the sums of the samples of the next batch, if it belongs to the window.
func (s *session) beginSums(index []int32) {
	first, ok := s.windowFirst()
	if !ok || s.at.Batch < first {
		return
	}
	if s.sums == nil {
		s.newSums()
	}
	s.sums.Begin(s.words(index))
}

func (s *session) newSums() {
	s.sums = learned.NewSums(s.m, s.Config.Train.Batch)
	s.eng.Tell(s.sums)
}

// endSums moves thresholds after the last batch of an epoch. It is called before that batch is counted: a checkpoint
// whose position is the end of an epoch has the thresholds that were moved.
func (s *session) endSums() error {
	if s.sums == nil || s.at.Batch+1 < s.batches() {
		return nil
	}
	first, _ := s.windowFirst()
	s.frozen = s.eng.Frozen(s.frozen)
	readers, all := learned.Readers(s.frozen)
	if err := s.sumReaders(readers, &all); err != nil {
		return err
	}
	sums, err := s.sums.Together(s.sumFunc())
	if err != nil {
		return err
	}
	samples := len(s.order) - first*s.Config.Train.Batch
	most := float64(samples) * (1 - float64(s.at.Epoch)/s.movingEnd())
	limits := learned.Limits{
		Samples: uint64(movingReach * most), Readers: readers, Flips: uint64(movingFlips * most * float64(all)),
	}
	if sums.Move(samples, limits, s.price) > 0 {
		s.stale = true
	}
	s.sums = nil
	s.eng.Tell(nil)
	return nil
}

// sumReaders sums the readers of each input bit, and those of all, over all ranks.
func (s *session) sumReaders(readers []uint32, all *int) error {
	if s.Ranks == nil {
		return nil
	}
	counts := make([]int32, len(readers))
	for i, n := range readers {
		counts[i] = int32(n)
	}
	if err := s.Ranks.Sum(counts); err != nil {
		return err
	}
	*all = 0
	for i, n := range counts {
		readers[i] = uint32(n)
		*all += int(n)
	}
	return nil
}

// takeThresholds makes the model's encoder that of the session, if thresholds are learned: there they move.
func (s *session) takeThresholds() {
	if !s.Config.Encoder.Learned() {
		s.validationWords = nil
		return
	}
	s.data.Encoder, s.stale = &s.m.Encoder, true
	if cost := s.Config.Train.Cost; cost.Active() {
		inputs, width := cost.LUTInputs(), s.m.Encoder.BitsIn
		s.price = func(_ int, threshold uint16) float64 {
			return float64(cost.Pressure * float64(encoding.ComparisonLUTs(width, threshold, inputs)))
		}
	}
	for i := range int32(s.Config.Train.Batch) {
		s.counted = append(s.counted, i)
	}
}

// relevel encodes test and validation part anew, after thresholds have moved.
func (s *session) relevel() {
	if !s.stale {
		return
	}
	s.data.Encoder.Relevel(s.data.Test, s.data.TestWords)
	if s.validation != nil {
		s.data.Encoder.Relevel(s.validation, s.validationWords)
	}
	s.stale = false
}

// checkSums refuses a network for the sums of which there is no memory.
func (s *session) checkSums() error {
	if !s.Config.Encoder.Learned() {
		return nil
	}
	has, e := memory.Total(), s.data.Encoder
	sums := learned.Bytes(s.m.Sections, e.Features(), e.Inputs(), s.Config.Train.Batch)
	return s.Config.CheckMemory(s.leastBytes()+sums, has.Bytes, has.By)
}

// sumState returns what a checkpoint has of the sums of an unfinished window, those of all ranks.
func (s *session) sumState() ([]model.Tensor, error) {
	if s.sums == nil {
		return nil, nil
	}
	sums, err := s.sums.Together(s.sumFunc())
	if err != nil {
		return nil, lost(err)
	}
	return sumTensors(sums.State()), nil
}

// sumTensors returns the tensors of a state; none if no bit was read, as a tensor has elements.
func sumTensors(state learned.State) []model.Tensor {
	if len(state.Bits) == 0 {
		return nil
	}
	h, counts := state.Shapes()
	return []model.Tensor{
		{Name: sumBitsTensor, Shape: h[:1], Data: state.Bits},
		{Name: sumTensor, Shape: h, Data: state.H},
		{Name: countTensor, Shape: counts, Data: state.Counts},
	}
}

// restoreSums makes the sums of the unfinished window of a checkpoint, from what was read of it.
func (s *session) restoreSums(path string) error {
	if !s.windowBegun() {
		return nil
	}
	s.newSums()
	if len(s.restored.Bits) == 0 {
		return fmt.Errorf("%s: %s is missing; the file is damaged, train anew", path, sumTensor)
	}
	if !s.writes() { // one rank goes on with the sums of all
		s.restored.Bits, s.restored.H = nil, nil
	}
	if err := s.sums.Restore(s.restored); err != nil {
		return fmt.Errorf("%s: %w; the file is damaged, train anew", path, err)
	}
	s.restored = learned.State{}
	return nil
}
