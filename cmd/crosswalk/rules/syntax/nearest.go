package syntax

import "strings"

// nearest returns the name that a misspelt one probably means; "" if none is near.
func nearest(name string, names []string) (best string) {
	if len(name) > 40 {
		return ""
	}
	least := min(len(name)/4, 2) + 2
	for _, one := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(one)); d < least {
			best, least = one, d
		}
	}
	return best
}

// Distance returns the number of letters to insert, delete or replace that make a into b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(before+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
