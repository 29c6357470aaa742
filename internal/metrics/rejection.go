package metrics

// Answered holds the results of a classifier that answers only some samples.
type Answered struct {
	Samples  int     // samples that are answered
	Correct  int     // answered samples that were predicted as their class
	Balanced float64 // balanced accuracy of the answered samples
}

// Rejection returns the results of a classifier that answers the samples whose lead is at least a margin. The lead of
// a sample is the largest class count minus the second largest, which equals the largest if there is one class. Element
// m is for margin m, from 0 up to the largest lead. The count of sample i for class k is counts[i * classes + k].
func Rejection(labels, predicted []uint8, counts []int32, classes int) []Answered {
	leads, largest := make([]int32, len(labels)), int32(-1)
	for i := range leads {
		leads[i] = Lead(counts[i*classes:][:classes])
		largest = max(largest, leads[i])
	}
	with := make([][]int, largest+1) // samples with each lead
	for i, l := range leads {
		with[l] = append(with[l], i)
	}
	all := make([]Answered, largest+1)
	support, right := make([]int, classes), make([]int, classes)
	for m := int(largest); m >= 0; m-- {
		if m < int(largest) {
			all[m] = all[m+1]
		}
		for _, i := range with[m] {
			label := labels[i]
			all[m].Samples++
			support[label]++
			if predicted[i] == label {
				all[m].Correct++
				right[label]++
			}
		}
		if len(with[m]) > 0 {
			all[m].Balanced = meanRecall(right, support)
		}
	}
	return all
}
