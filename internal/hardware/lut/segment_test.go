package lut

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/chain"
)

// plainTables holds tables that are computed by the plain recurrences over all segments, without bands and without
// skipping anything.
type plainTables struct {
	value, pair [][]cost
	operands    [][][]cost
}

func plainGrid(n int) [][]cost {
	g := make([][]cost, n+1)
	for i := range g {
		g[i] = slices.Repeat([]cost{never}, n+1)
	}
	return g
}

// lower lowers each dst[j] to a[m] + next[m][j] + extra if this sum is smaller, for any m >= from.
func lower(dst, a []cost, next [][]cost, from int, extra cost) {
	for m := from; m < len(dst); m++ {
		for j := m + 1; j < len(dst); j++ {
			dst[j] = min(dst[j], a[m]+next[m][j]+extra)
		}
	}
}

// plainLevel returns the tables of level d, computed from the tables of the level below.
func (s *solver) plainLevel(d int, below *plainTables) *plainTables {
	t := &plainTables{value: plainGrid(s.n), pair: plainGrid(s.n)}
	for i := 1; i <= s.n; i++ {
		if t.value[i][i] = 0; d > 0 {
			copy(t.value[i], below.value[i])
			lower(t.value[i], below.value[i], below.operands[s.k-1], i, 1)
		}
	}
	for i := range s.n {
		zero, one := s.firstNot(chain.And, i), s.firstNot(chain.Or, i)
		for j := max(zero, one); j <= s.n; j++ {
			t.pair[i][j] = t.value[zero][j] + t.value[one][j]
		}
		if d > 0 {
			for j := i + 1; j <= s.n; j++ {
				t.pair[i][j] = min(t.pair[i][j], below.pair[i][j], below.operands[s.k][i][j]+2)
			}
			lower(t.pair[i], below.pair[i], below.operands[s.k-1], i+1, 2)
		}
	}
	for b := range s.k + 1 {
		g := plainGrid(s.n)
		for i := range g {
			if g[i][i] = 0; b > 0 {
				copy(g[i], t.operands[b-1][i])
			}
			for m := i; b > 0 && m < s.n; m++ {
				for j := m + 1; j <= s.runEnd[m]; j++ {
					g[i][j] = min(g[i][j], t.operands[b-1][i][m]+s.tree(d)[j-m])
				}
			}
			if b > 1 {
				lower(g[i], t.operands[b-2][i], t.pair, i, 0)
			}
		}
		t.operands = append(t.operands, g)
	}
	return t
}

// TestTables compares the tables of all levels with the plain tables. Some chains have mixed operations, and some
// have long runs of one operation.
func TestTables(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s solver
	for range 120 {
		ops, run := make([]byte, 1+r.IntN(30)), 1+r.IntN(6)
		for j := range ops {
			if ops[j] = byte(r.IntN(3)); j > 0 && r.IntN(run) > 0 {
				ops[j] = ops[j-1]
			}
		}
		s.start(2+r.IntN(5), string(ops), 0)
		s.band = s.n
		var plain *plainTables
		for d := range 8 {
			s.addLevel(d)
			plain = s.plainLevel(d, plain)
			s.compareTables(t, "value", d, &s.levels[d].value, plain.value)
			s.compareTables(t, "pair", d, &s.levels[d].pair, plain.pair)
			for b := range plain.operands {
				s.compareTables(t, "operands", d, &s.levels[d].operands[b], plain.operands[b])
			}
		}
	}
}

func (s *solver) compareTables(t *testing.T, name string, d int, got *grid, want [][]cost) {
	t.Helper()
	for i, row := range want {
		for j := i; j <= s.n; j++ {
			if c := got.at(i, j); min(c, never) != min(row[j], never) {
				t.Fatalf("K %d, steps %v: %s of level %d, segment (%d, %d): %d, want %d", s.k, s.ops[1:], name, d, i, j, c, row[j])
			}
		}
	}
}
