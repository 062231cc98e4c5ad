// Package nearest finds the word that a misspelt one probably means.
package nearest

import "strings"

// To returns the known word that is nearest to another or begins with it; "" if none is near.
func To(word string, known []string) (best string) {
	if len(word) > 40 {
		return ""
	}
	least := min(len(word)/4, 2) + 2
	for _, one := range known {
		d := Distance(strings.ToLower(word), strings.ToLower(one))
		if len(word) > 2 && strings.HasPrefix(one, word) {
			d = min(d, 1)
		}
		if d < least {
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
