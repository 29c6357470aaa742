package shared

// Choice is a pin that chooses among candidates. Each candidate is a run of rows, one row for each position. Rows
// holds the offset of each candidate's first row. Step is the distance between the rows of neighbouring positions.
type Choice struct {
	Rows []uint32
	Step uint32
}

// Mean writes the mean of the candidates, weighted by the probabilities q, to a run of rows at out. Each mean is a
// sum from +0 in the order of the candidates.
func (c *Choice) Mean(x []float32, q []float32, out uint32, positions int, in uint32) {
	if f := vectors(); f != nil && len(c.Rows) > 0 {
		f.mean(&x[0], &q[:len(c.Rows)][0], &c.Rows[0], len(c.Rows), positions, c.Step, out, in)
		return
	}
	for p := range uint32(positions) {
		to := row(x, out+p*Lanes)
		*to = [Lanes]float32{}
		for j, at := range c.Rows {
			v := row(x, at+in+p*c.Step)
			for i := range to {
				to[i] += float32(q[j] * v[i])
			}
		}
	}
}

// Select copies the rows of a candidate to a run of rows at out.
func (c *Choice) Select(x []float32, candidate int, out uint32, positions int, in uint32) {
	at := c.Rows[candidate] + in
	for p := range uint32(positions) {
		*row(x, out+p*Lanes) = *row(x, at+p*c.Step)
	}
}

// Sums multiplies the pin's gradient by the values of each candidate and adds the sum of these products to the
// candidate's element of r. The gradient is the run of rows of g that begins at grad.
func (c *Choice) Sums(r []float32, x, g []float32, grad uint32, positions int, in uint32) {
	if f := vectors(); f != nil && len(c.Rows) > 0 && positions > 0 {
		f.sums(&r[:len(c.Rows)][0], &x[0], &g[0], &c.Rows[0], len(c.Rows), positions, c.Step, grad, in)
		return
	}
	for j, at := range c.Rows {
		var sum [Lanes]float32
		for p := range uint32(positions) {
			v, d := row(x, at+in+p*c.Step), row(g, grad+p*Lanes)
			for i := range sum {
				sum[i] += float32(d[i] * v[i])
			}
		}
		r[j] += fold(&sum)
	}
}

// Spread adds the pin's gradient, times the probability of each candidate, to the gradient of the candidate's rows.
func (c *Choice) Spread(g []float32, q []float32, grad uint32, positions int, in uint32) {
	if f := vectors(); f != nil && len(c.Rows) > 0 && positions > 0 {
		f.spread(&g[0], &q[:len(c.Rows)][0], &c.Rows[0], len(c.Rows), positions, c.Step, grad, in)
		return
	}
	for p := range uint32(positions) {
		d := row(g, grad+p*Lanes)
		for j, at := range c.Rows {
			to := row(g, at+in+p*c.Step)
			for i := range to {
				to[i] += float32(q[j] * d[i])
			}
		}
	}
}
