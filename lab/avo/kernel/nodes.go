package main

// The signatures of the steps of nodes, the same on both paths.
const (
	nodeForwardSignature = "func(out *uint64, rows **uint64, pins int, table uint64, words int)"
	nodeLinesSignature   = "func(line *uint8, rows **uint64, pins, words int)"
	sigmoidsSignature    = "func(t, slope, w *float32, lines int)"
	lineSumsSignature    = "func(s, delta *float32, line *uint8, blocks, lines int, scratch *float32)"
	pinGradientSignature = "func(beta, delta *float32, line *uint8, t *float32, bit, blocks int) (largest float32)"
	quantiseSignature    = "func(q *int8, values, dither *float32, blocks int, scale float32)"
	integerSumsSignature = "func(r *float32, q *int8, blocks int, x *uint64, offsets *uint32, k, last int, bits *uint32, step float32)"
	addProductsSignature = "func(sums *float32, sources int, q *int8, samples, pins int, steps *float32, x *uint32, stride, n int)"
	tableStepSignature   = "func(w, m, v, s, slope *float32, lines int, adam *float32) (table uint64)"
)

// The documentation of the steps of nodes.
const (
	nodeForwardDoc = "does look for rows of the given number of words."
	nodeLinesDoc   = "does lines for rows of the given number of words."
	sigmoidsDoc    = "does sigmoids."
	lineSumsDoc    = "does sumLines for blocks of 16 samples; scratch has room for all of its sums."
	pinGradientDoc = "does pinGradient for blocks of 16 samples, and returns the largest size of a gradient."
	quantiseDoc    = "rounds values for blocks of 32 samples, whose order it changes as fourth does."
	integerSumsDoc = "writes the integer sums of up to 16 candidates to r, times step, and anything after the last."
	addProductsDoc = "adds the products of some pins with n sources, a multiple of 16, whose bits are words of 32 samples."
	tableStepDoc   = "makes the step of Adam on the lines of a table, and returns what it is then."
)

// productPins is the number of pins that the products take at a time.
const productPins = 8
