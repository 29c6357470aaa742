package detmath

import (
	"math"
	"slices"
	"testing"
)

func TestExp(t *testing.T) {
	for i := range 800_001 {
		x := -float32(i) / 10_000
		want := math.Exp(float64(x))
		bound := 2e-7 + 7e-8*math.Abs(float64(x))
		if got := float64(Exp(x)); math.Abs(got-want) > bound*want {
			t.Fatalf("Exp(%v) = %v, want %v within %v", x, got, want, bound)
		}
	}
	for _, x := range []float32{-80.5, -1e9, float32(math.Inf(-1))} {
		if got := Exp(x); got != Exp(ExpMin) {
			t.Errorf("Exp(%v) = %v, want Exp(ExpMin) = %v", x, got, Exp(ExpMin))
		}
	}
	if Exp(0) != 1 {
		t.Errorf("Exp(0) = %v, want exactly 1", Exp(0))
	}
}

// TestExpAll compares ExpAll with Exp. It uses a shift, and writes the result in place.
func TestExpAll(t *testing.T) {
	x := make([]float32, 1000)
	for i := range x {
		x[i] = 3 - float32(i)/10
	}
	got := make([]float32, len(x))
	ExpAll(got, x, 3)
	for i, v := range x {
		if want := Exp(v - 3); got[i] != want {
			t.Fatalf("ExpAll at %v: %v, Exp gives %v", v-3, got[i], want)
		}
	}
	ExpAll(x, x, 3)
	if !slices.Equal(x, got) {
		t.Error("ExpAll in place differs")
	}
}

// plainLog computes Log step by step, with the library's exponent, a branch, and a division for each coefficient.
func plainLog(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = m*2, k-1
	}
	s := (m - 1) / (m + 1)
	sum := 0.0
	for i := 21; i >= 1; i -= 2 {
		sum = float64(sum*float64(s*s)) + 1/float64(i)
	}
	const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	return float64(float64(k)*ln2Hi) + (float64(2*float64(s*sum)) + float64(float64(k)*ln2Lo))
}

// TestLogAll compares logarithms with plainLog, one by one, in slices of all lengths up to nine, and in place. It
// tries numbers on both sides of each split, the least and the largest normal numbers, and random numbers. For Log
// alone, it also tries subnormal numbers.
func TestLogAll(t *testing.T) {
	x := []float64{least, math.MaxFloat64, 0x1p-53, 1 - 0x1p-53}
	for k := -1021; k < 1023; k++ {
		for _, m := range []float64{1, math.Sqrt2 / 2} {
			y := math.Ldexp(m, k)
			x = append(x, math.Nextafter(y, 0), y, math.Nextafter(y, 2*y))
		}
	}
	for i := range uint64(10_000) {
		x = append(x, max(least, math.Float64frombits((i+1)*0x9e3779b97f4a7c15%(0x7ff<<52))))
	}
	for _, v := range []float64{5e-324, 3e-320, math.Nextafter(least, 0)} {
		if got, want := Log(v), plainLog(v); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("Log(%v) = %v, want %v", v, got, want)
		}
	}
	for n := 1; len(x) > 0; n = n%9 + 1 {
		some := x[:min(n, len(x))]
		got := make([]float64, len(some))
		LogAll(got, some)
		for i, v := range some {
			one, want := Log(v), plainLog(v)
			if math.Float64bits(got[i]) != math.Float64bits(want) || math.Float64bits(one) != math.Float64bits(want) {
				t.Fatalf("at %v, %d of %d: LogAll gives %v, Log %v, want %v", v, i+1, len(some), got[i], one, want)
			}
		}
		LogAll(some, some)
		if !slices.Equal(some, got) {
			t.Fatal("LogAll in place differs")
		}
		x = x[len(some):]
	}
}

func TestLog(t *testing.T) {
	for _, x := range []float64{1, 2, 10, 0.5, 1 + 1e-9, 1e-300, 1e300, math.Pi, 0.7071, 0.7072, 1.414, 1.415} {
		want := math.Log(x)
		if got := Log(x); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	// math.Log itself is wrong for subnormals on amd64 in some versions of Go.
	if got := Log(5e-324); math.Abs(got+744.4400719213812) > 1e-12 {
		t.Errorf("Log(5e-324) = %v, want -1074 ln 2", got)
	}
	if !math.IsInf(Log(0), -1) || !math.IsNaN(Log(-1)) || !math.IsNaN(Log(math.NaN())) {
		t.Error("Log must give -Inf at 0 and NaN below and at NaN")
	}
}

func TestPow(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 600, 120_000} {
		if got, want := Pow(0.999, n), math.Pow(0.999, float64(n)); math.Abs(got-want) > 1e-12*want {
			t.Errorf("Pow(0.999, %d) = %v, want %v", n, got, want)
		}
	}
}

// TestHalfCosine compares HalfCosine with the library's cosine, and near the end, where 1 + cos cancels, with the
// library's sine.
func TestHalfCosine(t *testing.T) {
	last := 1.0
	for i := range 100_001 {
		x := float64(i) / 100_000
		got := HalfCosine(x)
		if want := (1 + math.Cos(math.Pi*x)) / 2; math.Abs(got-want) > 3e-16 {
			t.Fatalf("HalfCosine(%v) = %v, want %v", x, got, want)
		}
		if s := math.Sin(math.Pi / 2 * (1 - x)); x > 0.5 && math.Abs(got-s*s) > 1e-15*s*s {
			t.Fatalf("HalfCosine(%v) = %v, the sine gives %v", x, got, s*s)
		}
		if got > last {
			t.Fatalf("HalfCosine(%v) = %v is more than the value before it, %v", x, got, last)
		}
		last = got
	}
	for _, c := range []struct{ x, want float64 }{{-1, 1}, {0, 1}, {0.5, 0.5}, {1, 0}, {2, 0}} {
		if got := HalfCosine(c.x); got != c.want {
			t.Errorf("HalfCosine(%v) = %v, want exactly %v", c.x, got, c.want)
		}
	}
}

// TestBits compares results with fixed values, bit by bit. These results determine the bytes of every trained model,
// so a change of the algorithm, or of a compiler's contraction of operations, must not go unnoticed.
func TestBits(t *testing.T) {
	for _, c := range []struct {
		x    float32
		want uint32
	}{{-0.1, 0x3f67a36d}, {-1, 0x3ebc5ab2}, {-5, 0x3bdcc9ff}, {-33.3, 0x2778b2e5}, {-80, 0x05bfecb8}} {
		if got := math.Float32bits(Exp(c.x)); got != c.want {
			t.Errorf("Exp(%v) has the bits %#x, want %#x", c.x, got, c.want)
		}
	}
	if got, want := math.Float64bits(Log(3)), uint64(0x3ff193ea7aad030b); got != want {
		t.Errorf("Log(3) has the bits %#x, want %#x", got, want)
	}
	for _, c := range []struct {
		x    float64
		want uint64
	}{{0.3, 0x3fe96791823aad2f}, {0.999, 0x3ec4b2b2fc02d8d6}} {
		if got := math.Float64bits(HalfCosine(c.x)); got != c.want {
			t.Errorf("HalfCosine(%v) has the bits %#x, want %#x", c.x, got, c.want)
		}
	}
}

func BenchmarkExpAll(b *testing.B) {
	x, dst := make([]float32, 48), make([]float32, 48)
	for i := range x {
		x[i] = -float32(i) / 10
	}
	for b.Loop() {
		ExpAll(dst, x, 0)
	}
}

// TestExp64 compares Exp64 with package math, on a grid and for arguments whose exponential is not a normal number.
func TestExp64(t *testing.T) {
	for i := range 400_001 {
		x := -float64(i) / 20_000
		if got, want := Exp64(x), math.Exp(x); math.Abs(got-want) > 1e-13*want {
			t.Fatalf("Exp64(%v) = %v, want %v within 1e-13 of it", x, got, want)
		}
	}
	for x, want := range map[float64]float64{
		0: 1, -math.SmallestNonzeroFloat64: 1, -1e9: 0, -math.MaxFloat64: 0, math.Inf(-1): 0,
	} {
		if got := Exp64(x); got != want {
			t.Errorf("Exp64(%v) = %v, want %v", x, got, want)
		}
	}
}
