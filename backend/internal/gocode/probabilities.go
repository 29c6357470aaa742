package gocode

import "ialgn/internal/softmax"

// probabilities is the function for probabilities in Go. It repeats [softmax.Fixed].
const probabilities = `
// Probabilities computes the probabilities of the classes from the counts of samples: the softmax of count / T, where T
// is TEMPERATURE. counts[s*Classes+c] is the count of class c of sample s. probabilities[s*Classes+c] becomes
// its probability in units of 1/65536, rounded down; 1 becomes 65535. It is less than 1/32768 away from the softmax.
// The function uses integers only. It returns an error if the lengths do not fit.
func Probabilities(counts []uint32, probabilities []uint16) error {
	if len(counts) != len(probabilities) || len(counts)%Classes != 0 {
		return errors.New("PACKAGE: Probabilities: slices of the wrong length: give Classes elements a sample")
	}
	for ; len(counts) > 0; counts, probabilities = counts[Classes:], probabilities[Classes:] {
		most, sum := counts[0], uint32(0)
		for _, n := range counts[:Classes] {
			if n > most {
				most = n
			}
		}
		for _, n := range counts[:Classes] {
			sum += power(most - n)
		}
		for c, n := range counts[:Classes] {
			rest, quotient := power(most-n), uint16(0)
			for bit := 0; bit < 16; bit++ { // the next bit of rest / sum
				rest, quotient = 2*rest, 2*quotient
				if rest >= sum {
					rest, quotient = rest-sum, quotient+1
				}
			}
			probabilities[c] = quotient
		}
	}
	return nil
}

func power(difference uint32) uint32 {
	if difference < uint32(len(powers)) {
		return powers[difference]
	}
	return 0
}

// powers[d] is exp(-d / T) in units of 2^-23, for a count that is d less than the largest. Beyond the end it is 0.
var powers = [...]uint32{
`

const probabilitiesTest = `
// wantProbabilities has the probabilities of the first samples.
var wantProbabilities = [...]uint16{
PROBABILITIES}

func TestProbabilities(t *testing.T) {
	got := make([]uint16, len(wantCounts))
	if err := Probabilities(wantCounts[:], got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != wantProbabilities[i] {
			t.Errorf("sample %d: probability %d of class %d, want %d", i/Classes, got[i], i%Classes, wantProbabilities[i])
		}
	}
	if Probabilities(wantCounts[1:], got) == nil || Classes > 1 && Probabilities(wantCounts[1:], got[1:]) == nil {
		t.Error("no error for slices of the wrong length")
	}
}
`

// scores returns the table of powers, or nil if no function computes probabilities.
func (f *file) scores() *softmax.Table {
	if f.opt.Probabilities == nil || f.classifier == nil {
		return nil
	}
	return softmax.New(f.opt.Probabilities.Value, f.classifier.LargestCount())
}

// probabilitiesSource writes the function for probabilities, if there is one.
func (f *file) probabilitiesSource() {
	t := f.scores()
	if t == nil {
		return
	}
	f.fill(probabilities, "TEMPERATURE", f.opt.Probabilities.String(), "PACKAGE", f.opt.Package)
	numbers(f, "%d", 12, t.Powers())
	f.text("}\n")
}

// probabilitiesTests writes the test of the function for probabilities.
func (f *file) probabilitiesTests() {
	t := f.scores()
	if t == nil {
		return
	}
	f.fill(probabilitiesTest, "PROBABILITIES", list(f.vectors.Probabilities(t), "%d", len(f.classifier.Counts), 1))
}
