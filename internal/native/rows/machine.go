package rows

// vector and register are numbers of a machine's registers. Each machine maps the numbers to its own registers. There
// are at least 16 vectors and 9 general registers. The first four general registers hold the function's arguments. A
// label is a place in the code.
type (
	vector   uint8
	register uint8
	label    int
)

// shape describes the vectors of a machine.
type shape struct {
	bytes int
	lanes int // binary logarithm of the number of 128-bit lanes
	late  int // binary logarithm of N; N vectors of each of maxPlanes planes fit in registers at once
}

var (
	shape512 = shape{bytes: 64, lanes: 2, late: 3}
	shape256 = shape{bytes: 32, lanes: 1, late: 2}
	shape128 = shape{bytes: 16, lanes: 0, late: 2}
)

// depth is the nesting depth of a function. It determines where the return address is kept.
type depth int

const (
	outermost depth = iota // the entry; calls functions of depth middle
	middle                 // calls functions of depth innermost
	innermost              // calls no function
)

// machine appends instructions of a processor. The destination is the first operand. If a method has a single general
// register as operand, this register is both source and destination.
type machine interface {
	shape() shape
	control
	arithmetic
	vectors
	leveller
	spreader
}

// control writes labels, jumps and calls. Comparisons are unsigned.
type control interface {
	label() label
	bind(l label)
	align()
	jump(to label)
	jumpBelow(r register, k int, to label) // if r < k
	jumpZero(r register, to label)
	loop(r register, k int, to label) // subtracts k, and jumps if the result is not zero
	call(function label)
	enter(d depth) // writes the first instruction of a function
	leave(d depth)
}

// arithmetic writes operations on general registers.
type arithmetic interface {
	set(r register, k int)
	move(dst, src register)
	add(dst, src register, k int)
	plus(dst, src register)
	minus(dst, src register)
	times(dst, src register, k int)
	shiftRight(r register, n int)
	keep(r register) // saves r until restore; calls are not nested
	restore(r register)
	// copy copies n bytes from one address to another. It changes only the three registers that it gets.
	copy(to, from, n register)
}

// vectors writes operations, and loads and stores of whole vectors at base + displacement.
type vectors interface {
	load(v vector, base register, displacement int)
	store(base register, displacement int, v vector)
	or(dst, first, second vector)
	and(dst, first, second vector)
	// exchange writes one stage of the transposition for two vectors with elements of size bytes. The result with bit
	// 0 goes to low, and the result with bit 1 goes to second.
	exchange(s stage, size int, low, first, second vector)
	// constants appends the constants that the preceding code loads. It must be called at a place that execution does
	// not reach.
	constants()
}

// leveller compares samples with a unit's thresholds. Between prepareLevels and the code for samples, only the method
// threshold may change vectors.
type leveller interface {
	// prepareLevels loads the constants for comparisons of words of size bytes.
	prepareLevels(size int)
	// threshold loads the thresholds of level j.
	threshold(size, j int, of *unit)
	// sample collects the bits of the level of sample s in the vectors that the method plane returns. A vector
	// collects 8 times size samples. The sample's features are at base + displacement.
	sample(size, s, planes int, base register, displacement int)
	plane(k int) vector
	// descending reports whether samples must come in descending order.
	descending() bool
	// prefetch requests a cache line for later use. The address may be invalid.
	prefetch(base register, displacement int)
}

// spreader computes numbers from the rows of their binary digits. A step computes several consecutive samples, in one
// or more vectors.
type spreader interface {
	// step returns the number of samples of a step for numbers of size bytes.
	step(size int) int
	// prepareNumbers loads the constants for number.
	prepareNumbers(size int)
	// number computes the numbers of a step.
	number(size int, to []vector, digits []Row)
	// storeClasses stores 16-bit class indices. The register samples holds their number, which is less than a step. The
	// registers samples and free may be changed.
	storeClasses(to, samples register, numbers vector)
	// prepareFew prepares calls of storeFew, which stores the first n 32-bit numbers of a vector.
	prepareFew(n int)
	storeFew(base register, displacement, n int, numbers vector)
}

// pool holds the constants of a piece of code.
type pool struct {
	labels map[string]label
	order  []string
}

// place returns the label of a constant. It calls newLabel for the label of a new constant.
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

// take calls emit for each constant and empties the pool.
func (p *pool) take(emit func(at label, constant []byte)) {
	for _, constant := range p.order {
		emit(p.labels[constant], []byte(constant))
	}
	*p = pool{}
}

// elements returns n bytes, which consist of elements of size bytes each.
func elements(n, size int, value func(i int) uint32) []byte {
	constant := make([]byte, n)
	for i := range constant {
		constant[i] = uint8(value(i/size) >> (i % size * 8))
	}
	return constant
}

// every returns n bytes, which consist of equal elements of size bytes each.
func every(n, size int, value uint32) []byte {
	return elements(n, size, func(int) uint32 { return value })
}

// numbered returns n vectors with consecutive numbers, beginning with from.
func numbered(from vector, n int) []vector {
	all := make([]vector, n)
	for i := range all {
		all[i] = from + vector(i)
	}
	return all
}
