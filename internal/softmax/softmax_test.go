package softmax

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact returns the softmax of counts, computed without the table.
func exact(temperature float64, counts []int32) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, c := range counts {
		most = max(most, float64(c))
	}
	p := make([]float64, len(counts))
	for i, c := range counts {
		p[i] = math.Exp((float64(c) - most) / temperature)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// TestProbabilities compares both forms of the probabilities with the softmax, for random counts and temperatures,
// and for up to 256 classes. It compares the quotients of Fixed with those of long integers.
func TestProbabilities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		temperature := math.Exp(r.Float64()*14 - 4)
		counts, spread := make([]int32, 1+r.IntN(256)), 1+r.Int32N(2000)
		if r.IntN(2) == 0 {
			counts = counts[:min(len(counts), 1+r.IntN(4))]
		}
		for i := range counts {
			counts[i] = r.Int32N(spread) - spread/2
		}
		table := New(temperature, int(spread))
		float, fixed := make([]float64, len(counts)), make([]uint16, len(counts))
		Float(table, float, counts)
		Fixed(table, fixed, counts)
		most, sum := largest(counts), int64(0)
		for _, c := range counts {
			sum += int64(table.power(uint64(most - c)))
		}
		for i, want := range exact(temperature, counts) {
			if math.Abs(float[i]-want) > 1e-11 {
				t.Fatalf("temperature %v, counts %v, class %d: %v, want %v", temperature, counts, i, float[i], want)
			}
			if difference := math.Abs(float64(fixed[i])/(1<<Bits) - want); difference >= 0x1p-15 {
				t.Fatalf("temperature %v, counts %v, class %d: %d / 65536, want %v, which is %v away", temperature, counts, i,
					fixed[i], want, difference)
			}
			quotient := new(big.Int).Lsh(big.NewInt(int64(table.power(uint64(most-counts[i])))), Bits)
			quotient.Div(quotient, big.NewInt(sum))
			if q := min(quotient.Int64(), math.MaxUint16); q != int64(fixed[i]) {
				t.Fatalf("temperature %v, counts %v, class %d: %d / 65536, want %d", temperature, counts, i, fixed[i], q)
			}
		}
	}
}

// TestTable checks the table's ends: it has the powers that are not 0, up to the largest difference.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		temperature float64
		largest     int
		powers      int
	}{
		{10, 1000, 167}, // exp(-16.6) * One is the last one above 1/2
		{10, 5, 6},
		{1e-6, 1000, 1},
		{5e-324, 1000, 1}, // 1 / T is infinite
		{1e6, 300, 301},
	} {
		powers := New(c.temperature, c.largest).Powers()
		if len(powers) != c.powers || powers[0] != One || powers[len(powers)-1] == 0 {
			t.Errorf("temperature %v, differences up to %d: %d powers from %d to %d, want %d from %d", c.temperature, c.largest,
				len(powers), powers[0], powers[len(powers)-1], c.powers, One)
		}
		for d, power := range powers {
			if want := One * math.Exp(-float64(d)/c.temperature); math.Abs(float64(power)-want) > 0.5001 {
				t.Errorf("temperature %v: power %d is %d, want %v", c.temperature, d, power, want)
			}
		}
	}
}

// TestEqualCounts checks that equal counts have equal probabilities, and that a class alone has probability 1.
func TestEqualCounts(t *testing.T) {
	for _, classes := range []int{1, 2, 4, 256} {
		table, fixed, float := New(3, 9), make([]uint16, classes), make([]float64, classes)
		counts := make([]uint32, classes)
		for i := range counts {
			counts[i] = math.MaxUint32
		}
		Fixed(table, fixed, counts)
		Float(table, float, counts)
		for i := range counts {
			if want := min(1<<Bits/classes, math.MaxUint16); int(fixed[i]) != want || float[i] != 1/float64(classes) {
				t.Errorf("class %d of %d: %d and %v, want %d and %v", i, classes, fixed[i], float[i], want, 1/float64(classes))
			}
		}
	}
}
