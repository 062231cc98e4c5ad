package codec

// sorted returns the numbers below n in an order, by merging. The package slices would compile its
// algorithms for each type, a hundredth of a module; a stable sort by numbers does for all.
func sorted(n int, less func(a, b int) bool) []int {
	order, other := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = i
	}
	for width := 1; width < n; width *= 2 {
		for low := 0; low < n; low += 2 * width {
			middle, high := min(low+width, n), min(low+2*width, n)
			a, b := low, middle
			for i := low; i < high; i++ {
				if a < middle && (b == high || !less(order[b], order[a])) {
					other[i] = order[a]
					a++
				} else {
					other[i] = order[b]
					b++
				}
			}
		}
		order, other = other, order
	}
	return order
}

// sortKeys sorts the keys of a small map; most have a few, in which the simplest way is the
// fastest.
func sortKeys(keys []string) []string {
	if len(keys) > 16 {
		order := sorted(len(keys), func(a, b int) bool { return keys[a] < keys[b] })
		all := make([]string, len(keys))
		for i, n := range order {
			all[i] = keys[n]
		}
		return all
	}
	for i := 1; i < len(keys); i++ {
		key, at := keys[i], i
		for ; at > 0 && key < keys[at-1]; at-- {
			keys[at] = keys[at-1]
		}
		keys[at] = key
	}
	return keys
}
