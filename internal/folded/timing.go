package folded

// Clocks simulates the clocks of a single sample, and then of samples that follow each other.
func (s *PositionsShape) Clocks() Clocks {
	alone := newClockwork(s)
	for alone.results == 0 {
		alone.tick(1)
	}
	const settled, counted = 8, 8
	many := newClockwork(s)
	for many.results < settled {
		many.tick(settled + counted + 2)
	}
	begin := many.clocks
	for many.results < settled+counted {
		many.tick(settled + counted + 2)
	}
	// The edge that takes the first word counts as the first edge. The edge that takes the class is not counted.
	return Clocks{Cycles: float64((many.clocks - begin + counted - 1) / counted), Latency: alone.clocks - 1}
}

// clockwork simulates the timing of an engine: its counters, and whether registers hold valid data,
// but not the data.
type clockwork struct {
	s               *PositionsShape
	clocks, results int

	sent, words int // samples sent completely, and words sent of the next sample
	loading     int
	full        [2]bool
	fit         [3]int // [i]: the buffer, 1 or 2, whose last word came i clocks ago, or 0
	stored      [2]bool

	scan, current, next int
	scanning, pixel     bool
	begun               int // number of samples that were begun and whose results are not taken yet

	stages []stage

	position         int
	complete         bool
	dense            []bool
	waiting, outcome bool
}

// stage simulates the timing of a convolution.
type stage struct {
	c           *Convolution
	row, column int
	begun       bool
	found       bool
	kernels     []bool
	x, y        int
	valid       bool
}

func newClockwork(s *PositionsShape) *clockwork {
	k := &clockwork{s: s, dense: make([]bool, s.Dense.Stages)}
	for i := range s.Convolutions {
		c := &s.Convolutions[i]
		v := stage{c: c, kernels: make([]bool, c.Stages)}
		if c.Padding > 0 {
			v.row = c.Rows - 1
		}
		k.stages = append(k.stages, v)
	}
	return k
}

// tick simulates one clock edge. The sender stops after the given number of samples.
func (k *clockwork) tick(samples int) {
	k.clocks++
	taken := k.outcome
	if taken {
		k.results++
	}
	out := k.pipeline(taken)
	ready := k.convolutions()
	ended := k.scans(ready, taken)
	k.load(samples, ended)
	k.gather(out)
}

// pipeline moves the logic behind the gathered bits. It reports whether the last convolution outputs a position.
func (k *clockwork) pipeline(taken bool) bool {
	decided := k.complete
	if n := len(k.dense); n > 0 {
		decided = k.dense[n-1]
		copy(k.dense[1:], k.dense[:n-1])
		k.dense[0] = k.complete
	}
	show := k.waiting && !k.outcome
	k.outcome = show || k.outcome && !taken
	k.waiting = decided || k.waiting && !show
	return k.stages[len(k.stages)-1].valid
}

// gather counts an output position of the last convolution.
func (k *clockwork) gather(valid bool) {
	rows, columns := k.s.last().pooled()
	k.complete = valid && k.position == rows*columns-1
	if valid {
		k.position = (k.position + 1) % (rows * columns)
	}
}

// convolutions moves all convolutions, last to first. It reports whether the first convolution takes a pixel.
func (k *clockwork) convolutions() (ready bool) {
	ready = true
	for i := len(k.stages) - 1; i >= 0; i-- {
		comes := k.pixel
		if i > 0 {
			comes = k.stages[i-1].valid
		}
		ready = k.stages[i].tick(comes, ready)
	}
	return ready
}

// tick moves a convolution by one clock. It reports whether the convolution takes a pixel.
func (v *stage) tick(comes, next bool) (ready bool) {
	c := v.c
	if v.valid && !next {
		return false
	}
	padding := c.Padding > 0 && !v.begun || v.row >= c.Rows || v.column >= c.Columns
	step := padding || comes
	found := v.found
	if n := len(v.kernels); n > 0 {
		found = v.kernels[n-1]
		copy(v.kernels[1:], v.kernels[:n-1])
		v.kernels[0] = v.found
	}
	v.pool(found)
	at := func(n int) bool { return n >= c.first() && (n-c.first())%c.Stride == 0 }
	v.found = step && at(v.row) && at(v.column) && (v.begun || c.Padding == 0)
	if step {
		v.step()
	}
	return !padding
}

// step advances a convolution to its next pixel.
func (v *stage) step() {
	if v.column++; v.column < v.c.Columns+v.c.Padding {
		return
	}
	v.column = 0
	if v.row++; v.row == v.c.Rows+v.c.Padding {
		v.row, v.begun = 0, true
	}
}

// pool counts a position.
func (v *stage) pool(found bool) {
	v.valid = found && (v.c.Pool == 1 || v.x%2 == 1 && v.y%2 == 1)
	if !found {
		return
	}
	rows, columns := v.c.size()
	if v.x = (v.x + 1) % columns; v.x == 0 {
		v.y = (v.y + 1) % rows
	}
}

// scans moves the scan of a sample. It returns the buffer whose scan has ended, counted from 1, or
// 0.
func (k *clockwork) scans(ready, taken bool) (ended int) {
	advance := !k.pixel || ready
	last := k.scan == k.s.Rows*k.s.Columns-1
	if k.scanning && advance && last {
		ended = k.current + 1
	}
	start := k.stored[k.next] && k.begun < 2 && (!k.scanning || ended > 0)
	if k.scanning && advance {
		k.scan = (k.scan + 1) % (k.s.Rows * k.s.Columns)
	}
	if advance {
		k.pixel = k.scanning
	}
	k.scanning = start || k.scanning && ended == 0
	if start {
		k.current, k.next = k.next, 1-k.next
		k.begun++
	}
	if taken {
		k.begun--
	}
	return ended
}

// load takes a word of a sample.
func (k *clockwork) load(samples, ended int) {
	take := !k.full[k.loading] && k.sent < samples
	if arrived := k.fit[2]; arrived > 0 {
		k.stored[arrived-1] = true
	}
	k.fit = [3]int{0, k.fit[0], k.fit[1]}
	if ended > 0 {
		k.full[ended-1], k.stored[ended-1] = false, false
	}
	if !take {
		return
	}
	if k.words++; k.words == len(k.s.Thresholds) {
		k.full[k.loading], k.fit[0] = true, k.loading+1
		k.loading, k.words = 1-k.loading, 0
		k.sent++
	}
}
