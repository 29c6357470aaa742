package native

import (
	"math"

	"ialgn/internal/wordcode"
)

// never is the index of a use that does not exist.
const never = math.MaxInt32

// uses records the operations that read each value of a program.
type uses struct {
	start []int32 // value v is read at the operations at[start[v]:start[v+1]]
	at    []int32 // operations, ascending
	next  []int32 // [value]: index in at of the next use
}

func findUses(p *wordcode.Program) *uses {
	values := 1 + p.Inputs + len(p.Ops)
	u := &uses{start: make([]int32, values+1), next: make([]int32, values)}
	for i := range p.Ops {
		for _, v := range operands(&p.Ops[i]) {
			u.start[v+1]++
		}
	}
	for v := range values {
		u.start[v+1] += u.start[v]
	}
	u.at = make([]int32, u.start[values])
	copy(u.next, u.start)
	for i := range p.Ops {
		for _, v := range operands(&p.Ops[i]) {
			u.at[u.next[v]] = int32(i)
			u.next[v]++
		}
	}
	copy(u.next, u.start)
	return u
}

// operands returns the values that an operation reads.
func operands(op *wordcode.Op) []wordcode.Value {
	return []wordcode.Value{op.A, op.B, op.C}[:op.Operator.Operands()]
}

// after returns the first operation from i on that reads v, or never. Over all calls for one value,
// i must not decrease.
func (u *uses) after(v wordcode.Value, i int) int32 {
	end := u.start[v+1]
	for u.next[v] < end && u.at[u.next[v]] < int32(i) {
		u.next[v]++
	}
	if u.next[v] == end {
		return never
	}
	return u.at[u.next[v]]
}

// last returns the last operation that reads v, or -1.
func (u *uses) last(v wordcode.Value) int32 {
	if u.start[v] == u.start[v+1] {
		return -1
	}
	return u.at[u.start[v+1]-1]
}
