package metrics

// Lead returns the largest count minus the second largest, which is 0 if the largest occurs twice. If there is one
// count, Lead returns this count.
func Lead[T int | int32](counts []T) T {
	var first, second T
	for i, c := range counts {
		switch {
		case i == 0 || c > first:
			first, second = c, first
		case i == 1 || c > second:
			second = c
		}
	}
	return first - second
}
