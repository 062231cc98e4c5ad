package values

// Fit is a relation of the values of two fields, and its support.
type Fit struct {
	F, G     *Field
	Rule     string            // the verb, or "convert" with types
	As       string            // of convert
	Table    map[string]string // of translate: the values as text
	Objects  int               // in which both fields stand, and agree
	Distinct int               // different values of f among those
	First    string            // the first object that agrees, with its values
	Sample   any               // the value in it
	Against  string            // the first object that disagrees
	Contra   int               // number of places that disagree
}

// maxContradictions is the number of places that disagree before a relation is given up.
const maxContradictions = 3

// each compares the values of two fields, place by place, until too many disagree.
func (x *Fit) each(all *Compared, agree func(a, b *cell) (same, counts bool)) *Fit {
	seen := map[string]bool{}
	last := -1
	for i, j := 0, 0; (i < len(x.F.cells) || j < len(x.G.cells)) && x.Contra < maxContradictions; {
		var a, b *cell
		if i < len(x.F.cells) {
			a = &x.F.cells[i]
		}
		if j < len(x.G.cells) {
			b = &x.G.cells[j]
		}
		switch {
		case b == nil || a != nil && before(a.at, b.at):
			b, i = nil, i+1
		case a == nil || before(b.at, a.at):
			a, j = nil, j+1
		default:
			i, j = i+1, j+1
		}
		if all.left--; all.left < 0 {
			x.Contra = maxContradictions
			return x
		}
		same, counts := false, false
		switch {
		case a == nil && x.G.isDefault(b) || b == nil && x.F.isDefault(a):
			continue
		case a != nil && b != nil:
			same, counts = agree(a, b)
		}
		switch {
		case !same:
			if x.Contra++; x.Against == "" {
				x.Against = all.shown(a, b)
			}
		case counts:
			if a.at.object != last {
				x.Objects, last = x.Objects+1, a.at.object
			}
			if x.First == "" {
				x.First, x.Sample = all.shown(a, b), a.value
			}
			if len(seen) <= maxTable {
				seen[a.text] = true
			}
		}
	}
	x.Distinct = len(seen)
	return x
}

func before(a, b spot) bool {
	if a.object != b.object {
		return a.object < b.object
	}
	return a.around < b.around
}

// Fits reports whether no object contradicts the relation, and some show it.
func (x *Fit) Fits() bool { return x.Contra == 0 && x.Objects > 0 }
