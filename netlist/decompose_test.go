package netlist

import (
	"math/rand/v2"
	"testing"
)

// evalSplit evaluates an extended table at one input combination by applying [Decompose] until nothing is left, and
// returns the number of levels that this took.
func evalSplit(t uint64, at int) (value bool, levels int) {
	if Support(t) == 0 {
		return t&1 == 1, 0
	}
	s := Decompose(t)
	lit := (at>>s.Pin&1 == 1) != s.Inverted
	low, l := evalSplit(s.Low, at)
	switch s.Op {
	case SplitAnd:
		return lit && low, l + 1
	case SplitOr:
		return lit || low, l + 1
	case SplitXor:
		return lit != low, l + 1
	}
	high, h := evalSplit(s.High, at)
	if lit {
		return high, max(l, h) + 1
	}
	return low, max(l, h) + 1
}

func TestDecompose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(table uint64, inputs int) {
		ext := Extend(table, inputs)
		for at := range 64 {
			want := table>>(at&(1<<inputs-1))&1 == 1
			got, levels := evalSplit(ext, at)
			if got != want || levels > inputs {
				t.Fatalf("table %#x of %d inputs at %#b: got %v after %d levels, want %v", table, inputs, at, got, levels, want)
			}
		}
	}
	for inputs := range 4 {
		for table := range uint64(1) << (1 << inputs) {
			check(table, inputs)
		}
	}
	for range 300 {
		inputs := 4 + r.IntN(3)
		check(Extend(r.Uint64()&r.Uint64(), inputs), inputs)
	}
}

func TestEffective(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		in := make([]Net, r.IntN(MaxFunctionInputs+1))
		for j := range in {
			in[j] = Net(r.IntN(6)) // 0 and 1 are the constants
		}
		table := r.Uint64()
		got := Effective(table, in)
		seen := map[Net]bool{False: true, True: true}
		for j, v := range in {
			if seen[v] && Support(got)>>j&1 == 1 {
				t.Fatalf("table %#x of %v: input %d is still read", table, in, j)
			}
			seen[v] = true
		}
		for nets := range 64 {
			nets = nets&^1 | 2 // net 0 is 0 and net 1 is 1
			at := 0
			for j, v := range in {
				at |= nets >> v & 1 << j
			}
			if got>>at&1 != table>>at&1 {
				t.Fatalf("table %#x of %v at nets %#b: folded table differs", table, in, nets)
			}
		}
	}
}

// TestProject compares a projected table with the original function on the remaining inputs.
func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		full := r.Uint64()
		for range r.IntN(MaxFunctionInputs) { // make it independent of some inputs
			full, _ = Cofactors(full, r.IntN(MaxFunctionInputs))
		}
		support := Support(full)
		got, k := Project(full, support), 0
		for j := range MaxFunctionInputs {
			k += int(support >> j & 1)
		}
		if got&^TableMask(k) != 0 {
			t.Fatalf("table %#x of %d inputs has bits beyond them", got, k)
		}
		for i := range 1 << MaxFunctionInputs {
			at, bit := 0, 0
			for j := range MaxFunctionInputs {
				if support>>j&1 == 1 {
					at |= i >> j & 1 << bit
					bit++
				}
			}
			if got>>at&1 != full>>i&1 {
				t.Fatalf("table %#x, projected to %#x: differs at %#b", full, got, i)
			}
		}
	}
}

// TestSwapPins swaps every pair of pins and compares the table with the function whose two inputs are swapped.
func TestSwapPins(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for q := range MaxFunctionInputs {
		for p := range q {
			table := r.Uint64()
			got := SwapPins(table, p, q)
			for i := range 1 << MaxFunctionInputs {
				j := i&^(1<<p|1<<q) | i>>p&1<<q | i>>q&1<<p
				if got>>i&1 != table>>j&1 {
					t.Fatalf("pins %d and %d: differs at %#b", p, q, i)
				}
			}
		}
	}
}
