package rows

// vector and register are numbers of registers of a machine, which each machine gives its own: 16 vectors or more, and
// 9 general registers, of which the first four hold the function's arguments. label is a place in the code.
type (
	vector   uint8
	register uint8
	label    int
)

// shape is what the vectors of a machine are like.
type shape struct {
	bytes int
	lanes int // binary logarithm of the lanes of 128 bits
	late  int // binary logarithm of the vectors that each of maxPlanes planes has in registers at once
}

var (
	shape512 = shape{bytes: 64, lanes: 2, late: 3}
	shape256 = shape{bytes: 32, lanes: 1, late: 2}
	shape128 = shape{bytes: 16, lanes: 0, late: 2}
)

// depth says what a function calls, for the keeping of the return address.
type depth int

const (
	outermost depth = iota // functions in the middle; it is what others call
	middle                 // innermost functions
	innermost              // none
)

// machine appends instructions of a kind of processor. Operands stand with the destination first; where there is one
// general register, it is both.
type machine interface {
	shape() shape
	control
	arithmetic
	vectors
	leveller
	spreader
}

// control has places, jumps and calls. Numbers compare without sign.
type control interface {
	label() label
	bind(l label)
	align()
	jump(to label)
	jumpBelow(r register, k int, to label) // if r < k
	jumpZero(r register, to label)
	loop(r register, k int, to label) // subtracts k, and jumps if the result is not zero
	call(function label)
	enter(d depth) // is the first instruction of a function
	leave(d depth)
}

// arithmetic has operations on general registers.
type arithmetic interface {
	set(r register, k int)
	move(dst, src register)
	add(dst, src register, k int)
	plus(dst, src register)
	minus(dst, src register)
	times(dst, src register, k int)
	shiftRight(r register, n int)
	keep(r register) // until restore, of whichever register; once at a time
	restore(r register)
	// copy copies n bytes from one address to another. It changes no other registers.
	copy(to, from, n register)
}

// vectors has loads and stores, of whole vectors at base + displacement, and operations.
type vectors interface {
	load(v vector, base register, displacement int)
	store(base register, displacement int, v vector)
	or(dst, first, second vector)
	and(dst, first, second vector)
	// exchange is one stage for two vectors of elements of size bytes: the result with bit 0 goes to low, the one with
	// bit 1 to second.
	exchange(s stage, size int, low, first, second vector)
	// constants appends the constants that code before has loaded. It stands where no code comes by.
	constants()
}

// leveller compares samples with a unit's thresholds. Between prepare and the code of samples, no vector changes but
// by threshold.
type leveller interface {
	// prepareLevels loads what comparisons need, of words of size bytes.
	prepareLevels(size int)
	// threshold loads the thresholds of level j.
	threshold(size, j int, of *unit)
	// sample gathers the level's bits of sample s, the s-th of 8 times size, from its features at base + displacement,
	// in the vectors that plane returns.
	sample(size, s, planes int, base register, displacement int)
	plane(k int) vector
	// descending says that the samples come from the last to the first.
	descending() bool
	// prefetch asks for a cache line that is needed later, anywhere.
	prefetch(base register, displacement int)
}

// spreader makes numbers of the rows of their digits. A step is some samples, in one vector or several, in order.
type spreader interface {
	// step returns the samples of a step with numbers of size bytes.
	step(size int) int
	// prepareNumbers loads what number needs.
	prepareNumbers(size int)
	// number makes the numbers of a step.
	number(size int, to []vector, digits []Row)
	// storeClasses stores the class indices, of 16 bits, of as many samples as the register says, less than a step. It
	// may change that register and free.
	storeClasses(to, samples register, numbers vector)
	// prepareFew prepares for storeFew, which stores the first n numbers of 32 bits of a vector.
	prepareFew(n int)
	storeFew(base register, displacement, n int, numbers vector)
}

// pool holds the constants of a piece of code.
type pool struct {
	labels map[string]label
	order  []string
}

// place returns the place of a constant. newLabel makes it if there is none yet.
func (p *pool) place(constant []byte, newLabel func() label) label {
	key := string(constant)
	at, known := p.labels[key]
	if !known {
		at = newLabel()
		if p.labels == nil {
			p.labels = map[string]label{}
		}
		p.labels[key] = at
		p.order = append(p.order, key)
	}
	return at
}

// take calls emit for each constant, and forgets them.
func (p *pool) take(emit func(at label, constant []byte)) {
	for _, constant := range p.order {
		emit(p.labels[constant], []byte(constant))
	}
	*p = pool{}
}

// elements returns n bytes of elements of size bytes.
func elements(n, size int, value func(i int) uint32) []byte {
	constant := make([]byte, n)
	for i := range constant {
		constant[i] = uint8(value(i/size) >> (i % size * 8))
	}
	return constant
}

// every returns n bytes of equal elements.
func every(n, size int, value uint32) []byte {
	return elements(n, size, func(int) uint32 { return value })
}

// numbered returns n vectors from one on.
func numbered(from vector, n int) []vector {
	all := make([]vector, n)
	for i := range all {
		all[i] = from + vector(i)
	}
	return all
}
