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

// moving has thresholds move (encoder.thresholds: learned), when configuration and position say so: a resumed run goes
// on the same way.
type moving struct {
	*session
	sums     *learned.Sums // of the window, once it has begun; nil outside of windows
	restored learned.State // of a checkpoint, until sums have it
	price    learned.Price // of thresholds (train.cost); nil: none
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

// Tensors of a checkpoint that hold the sums of an unfinished window.
const (
	sumBitsTensor = model.ExtraTensors + "thresholds.bits"
	sumTensor     = model.ExtraTensors + "thresholds.sums"
	countTensor   = model.ExtraTensors + "thresholds.counts"
)

// end returns up to which epoch thresholds move.
func (m *moving) end() float64 { return float64(movingUntil * float64(m.Config.Train.Epochs)) }

// windowFirst returns the first batch of the current epoch whose gradients are summed; ok is false if those of none
// are.
func (m *moving) windowFirst() (first int, ok bool) {
	return max(0, m.batches()-movingBatches), float64(m.at.Epoch+1) <= m.end()
}

// windowBegun reports whether some batches of the window are done, and some are not.
func (m *moving) windowBegun() bool {
	first, ok := m.windowFirst()
	return ok && m.at.Batch > first && m.at.Batch < m.batches()
}

// beginSums tells the sums of the samples of the next batch, if it belongs to the window.
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

// endSums moves thresholds after the last batch of an epoch.
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

// takeThresholds makes the session's encoder the model's: thresholds move there.
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

// relevel encodes test and validation part anew.
func (m *moving) relevel() {
	d := m.data
	d.Encoder.Relevel(d.Test, d.TestWords)
	if d.held != nil {
		d.Encoder.Relevel(d.held, d.heldWords)
	}
}

// checkSums refuses a network for the sums of which there is no memory.
func (m *moving) checkSums() error {
	has, e := memory.Total(), m.data.Encoder
	sums := learned.Bytes(m.m.Sections, e.Features(), e.Inputs(), m.Config.Train.Batch)
	return m.Config.CheckMemory(m.leastBytes()+sums, has.Bytes, has.By)
}

// saveSums adds the sums of an unfinished window, over all ranks, to a checkpoint.
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

// restorePlaces makes room for the sums of the unfinished window of a checkpoint.
func (m *moving) restorePlaces(info *model.Info) []model.Tensor {
	if !m.windowBegun() {
		return nil
	}
	m.restored = learned.NewState(info.Shape(sumTensor), info.Shape(countTensor))
	return sumTensors(m.restored)
}

// restoreSums makes the sums of the unfinished window of a checkpoint, from what was read of it.
func (m *moving) restoreSums() error {
	if !m.windowBegun() {
		return nil
	}
	m.newSums()
	path := CheckpointPath(m.Model)
	if len(m.restored.Bits) == 0 {
		return fmt.Errorf("%s: %s is missing; the file is damaged, train anew", path, sumTensor)
	}
	if !m.writes() { // one rank goes on with the sums of all
		m.restored.Bits, m.restored.H = nil, nil
	}
	if err := m.sums.Restore(m.restored); err != nil {
		return fmt.Errorf("%s: %w; the file is damaged, train anew", path, err)
	}
	m.restored = learned.State{}
	return nil
}
