package kernel

// SparseLanes is the number of values of a row of [Sparse].
const SparseLanes = 8

// Sparse multiplies by a sparse matrix. Row i of dst becomes a sum over the edges e in the range [start[i],
// start[i+1]). Edge e contributes factor[e] times row from[e] of src. A sum starts at +0 and adds its edges in order,
// and every product is rounded, so all SIMD paths give the same bits. The length of start is the number of rows of
// dst plus one, and its elements must not decrease. The elements of from must be below the number of rows of src.
// Vector kernels do not check these elements.
//
// Each edge costs two operations on SparseLanes values. Sparse is fastest if rows with the same number of edges are
// next to each other, because a loop of unpredictable length costs as much as an edge.
func Sparse(dst, src [][SparseLanes]float64, start, from []uint32, factor []float64) {
	if len(dst) == 0 {
		return
	}
	start = start[:len(dst)+1]
	edges := int(start[len(dst)])
	from, factor = from[:edges], factor[:edges]
	f := sparseVectors()
	if f == nil || edges == 0 {
		sparse(dst, src, start, from, factor)
		return
	}
	f(&dst[0][0], &src[0][0], len(dst), &start[0], &from[0], &factor[0])
}

// sparse is the plain path.
func sparse(dst, src [][SparseLanes]float64, start, from []uint32, factor []float64) {
	for i := range dst {
		var s0, s1, s2, s3, s4, s5, s6, s7 float64
		for e := start[i]; e < start[i+1]; e++ {
			x, q := &src[from[e]], factor[e]
			s0 += float64(q * x[0])
			s1 += float64(q * x[1])
			s2 += float64(q * x[2])
			s3 += float64(q * x[3])
			s4 += float64(q * x[4])
			s5 += float64(q * x[5])
			s6 += float64(q * x[6])
			s7 += float64(q * x[7])
		}
		dst[i] = [SparseLanes]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}
