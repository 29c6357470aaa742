package trainer

import (
	"time"

	"ialgn/internal/estimate"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// Progress is the state of a run, passed to Run.Progress.
type Progress struct {
	Epoch, Epochs  int // the current epoch, from 1, and the number of epochs
	Batch, Batches int // finished batches of this epoch, and the number of batches in each epoch
	Loss           float64
	TrainAccuracy  float64       // accuracy so far on the training samples of this epoch
	LearningRate   float64       // learning rate of the last step
	GateStepsRate  float64       // gate steps per second in this call
	Left           time.Duration // estimated time to the end of the run
	// InStep is the time that this call has spent in optimiser steps. It excludes reading, shuffling, evaluation and
	// checkpoints.
	InStep   time.Duration
	Finished *model.Epoch    // the finished and evaluated epoch, nil while the epoch runs
	Metric   *float64        // value of train.validation.metric, with Finished; nil if the metric is the accuracy
	Scores   *metrics.Values // metrics of the frozen network on the test samples; set with Finished
	Relaxed  *float64        // test accuracy of the relaxed network; set with Finished if the estimator is soft
	// LUTs is the estimated number of look-up tables of the network. It is set with Finished if Run.Estimate is set.
	// The tables have the number of inputs that train.cost targets, or [estimate.Usual] inputs.
	LUTs *estimate.LUTs
}

// report calls s.Progress after a batch or an epoch. After an epoch, p holds its results.
func (s *session) report(p Progress) {
	if s.Progress == nil {
		return
	}
	p.Epoch, p.Epochs, p.Batch, p.Batches = s.at.Epoch+1, s.Config.Train.Epochs, s.at.Batch, s.batches()
	p.GateStepsRate, p.InStep, p.LearningRate = s.rate(), s.inStep, s.rates.rate(s.at.Step)
	if e := p.Finished; e != nil {
		p.Epoch, p.Batch = s.at.Epoch, p.Batches
		p.Loss, p.TrainAccuracy = e.Loss, share(e.TrainCorrect, e.TrainSamples)
	} else if seen := min(s.at.Batch*s.Config.Train.Batch, len(s.order)); seen > 0 {
		p.Loss, p.TrainAccuracy = s.at.LossSum/float64(seen), float64(s.at.Correct)/float64(seen)
	}
	left := s.Config.Train.Epochs*p.Batches - s.at.Step
	perStep := time.Since(s.started).Seconds() / float64(max(1, s.at.Step-s.startSteps))
	p.Left = time.Duration(perStep * float64(left) * float64(time.Second))
	s.Progress(p)
}
