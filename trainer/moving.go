package trainer

import (
	"context"
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/trainer/internal/learned"
)

// These constants control learned thresholds. Their values were found by experiments on MNIST and on tables of
// measured values. The networks were chains of two nodes with six pins.
const (
	// movingBatches is the number of batches at the end of an epoch over which gradients are summed. If the epoch has
	// fewer batches, gradients are summed over all of them.
	movingBatches = 32

	// movingReach limits the move of a single threshold. After the first epoch, a threshold may move past at most
	// this share of the samples in the summed batches. movingFlips limits all moves together. They may change at most
	// this share of the bits that all pins read from all samples. Both limits fall linearly to zero, because late
	// moves must not disturb what the nodes have learnt. Without movingFlips, a tenth of all bits would change in
	// each epoch on a table with few features, where a hundred pins read each bit.
	movingReach = 0.1
	movingFlips = 0.05

	// movingUntil is the share of the epochs after which thresholds no longer move. At least one epoch comes after the
	// last move.
	movingUntil = 0.6
)

// moving moves thresholds during training (encoder.thresholds: learned). The times of the moves depend only on the
// configuration and the position in the run, so a resumed run makes the same moves.
type moving struct {
	*session
	sums     *learned.Sums // sums of the current window; nil outside of windows
	restored learned.State // sums of a checkpoint, until they are copied to sums
	price    learned.Price // cost of thresholds (train.cost); nil means thresholds cost nothing
}

func (s *session) addMoving() {
	if !s.Config.Encoder.Learned() {
		return
	}
	m := &moving{session: s}
	s.restoring = append(s.restoring, m.restorePlaces)
	s.beginning = append(s.beginning, m.takeThresholds, m.checkSums, m.restoreSums)
	s.stepping = append(s.stepping, m.beginSums)
	s.stepped = append(s.stepped, m.endSums)
	s.saving = append(s.saving, m.saveSums)
}

// Checkpoint tensors that hold the sums of an unfinished window.
const (
	sumBitsTensor = model.ExtraTensors + "thresholds.bits"
	sumTensor     = model.ExtraTensors + "thresholds.sums"
	countTensor   = model.ExtraTensors + "thresholds.counts"
)

// end returns the time after which thresholds no longer move, in epochs. The result may be a fraction of an epoch.
func (m *moving) end() float64 { return float64(movingUntil * float64(m.Config.Train.Epochs)) }

// windowFirst returns the first batch of the current epoch whose gradients are summed. If thresholds no longer
// move, ok is false.
func (m *moving) windowFirst() (first int, ok bool) {
	return max(0, m.batches()-movingBatches), float64(m.at.Epoch+1) <= m.end()
}

// windowBegun reports whether the run is after the first batch of a window and before the window's end.
func (m *moving) windowBegun() bool {
	first, ok := m.windowFirst()
	return ok && m.at.Batch > first && m.at.Batch < m.batches()
}

// beginSums passes the samples of the next batch to the sums, if the batch belongs to the window.
func (m *moving) beginSums(_ context.Context, _ *engine.Batch, index []int32) {
	first, ok := m.windowFirst()
	if !ok || m.at.Batch < first {
		return
	}
	if m.sums == nil {
		m.newSums()
	}
	m.sums.Begin(m.words(index))
}

func (m *moving) newSums() {
	m.sums = learned.NewSums(m.m, m.Config.Train.Batch)
	m.eng.Tell(m.sums)
}

// endSums moves the thresholds after the last batch of an epoch.
func (m *moving) endSums() error {
	if m.sums == nil || m.at.Batch+1 < m.batches() {
		return nil
	}
	first, _ := m.windowFirst()
	m.frozen = m.eng.Frozen(m.frozen)
	readers, all := learned.Readers(m.frozen), 0
	if sum := m.sumFunc(); sum != nil {
		if err := sum(readers); err != nil {
			return lost(err)
		}
	}
	for _, n := range readers {
		all += int(n)
	}
	sums, err := m.sums.Together(m.sumFunc())
	if err != nil {
		return lost(err)
	}
	samples := len(m.order) - first*m.Config.Train.Batch
	most := float64(samples) * (1 - float64(m.at.Epoch)/m.end())
	limits := learned.Limits{
		Samples: uint64(movingReach * most), Readers: readers, Flips: uint64(movingFlips * most * float64(all)),
	}
	if sums.Move(samples, limits, m.price) > 0 {
		m.relevel()
	}
	m.sums = nil
	m.eng.Tell(nil)
	return nil
}

// takeThresholds makes the session use the encoder of the model, because the moves change the thresholds of this
// encoder.
func (m *moving) takeThresholds() error {
	m.data.Encoder = &m.m.Encoder
	m.relevel()
	if cost := m.Config.Train.Cost; cost.Active() {
		inputs, width := cost.LUTInputs(), m.m.Encoder.BitsIn
		m.price = func(_ int, threshold uint16) float64 {
			return float64(cost.Pressure * float64(encoding.ComparisonLUTs(width, threshold, inputs)))
		}
	}
	return nil
}

// relevel re-encodes the test and the validation part.
func (s *session) relevel() {
	d := s.data
	d.Encoder.Relevel(d.Test, d.TestWords)
	if d.held != nil {
		d.Encoder.Relevel(d.held, d.heldWords)
	}
}

// checkSums returns an error if there is not enough memory for the sums.
func (m *moving) checkSums() error {
	has, e := memory.Total(), m.data.Encoder
	sums := learned.Bytes(m.m.Sections, e.Features(), e.Inputs(), m.Config.Train.Batch)
	return m.Config.CheckMemory(m.leastBytes()+sums, has.Bytes, has.By)
}

// saveSums adds the sums of an unfinished window, summed over all ranks, to a checkpoint.
func (m *moving) saveSums(extra *model.Extra) error {
	if m.sums == nil {
		return nil
	}
	sums, err := m.sums.Together(m.sumFunc())
	if err != nil {
		return lost(err)
	}
	extra.Tensors = append(extra.Tensors, sumTensors(sums.State())...)
	return nil
}

// sumTensors returns the tensors of a state. If no bit was read, it returns no tensors, since a tensor cannot be
// empty.
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

// restorePlaces returns the tensors into which a checkpoint's sums of an unfinished window are read.
func (m *moving) restorePlaces(info *model.Info) []model.Tensor {
	if !m.windowBegun() {
		return nil
	}
	m.restored = learned.NewState(info.Shape(sumTensor), info.Shape(countTensor))
	return sumTensors(m.restored)
}

// restoreSums recreates the sums of an unfinished window from a checkpoint.
func (m *moving) restoreSums() error {
	if !m.windowBegun() {
		return nil
	}
	m.newSums()
	path := CheckpointPath(m.Model)
	if len(m.restored.Bits) == 0 {
		return fmt.Errorf("%s: %s is missing; the file is damaged, train anew", path, sumTensor)
	}
	if !m.writes() { // only one rank continues with the sums of all ranks
		m.restored.Bits, m.restored.H = nil, nil
	}
	if err := m.sums.Restore(m.restored); err != nil {
		return fmt.Errorf("%s: %w; the file is damaged, train anew", path, err)
	}
	m.restored = learned.State{}
	return nil
}
