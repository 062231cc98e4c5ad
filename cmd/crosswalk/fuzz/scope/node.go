package scope

// kind is the form of a value.
type kind int

const (
	scalar kind = iota
	object
	list
	mapping
)

// node is the values that a schema allows at one place. Each has a number of choices: see the
// package.
type node struct {
	kind     kind
	name     string
	required bool // the object has it in any case, perhaps by a default
	nullable bool
	values   []any   // of a scalar; the first one has no choice
	fields   []*node // of an object
	inner    *node   // the elements of a list, or the members of a map
	least    int     // of these
	most     int
}

// keys are the names of the members of maps.
var keys = []string{"a", "b.example.com/c", "c", "d"}

// each calls yield with each value of exactly so many choices, until it returns false. It returns
// false then, too. The next value may share parts with the last one.
func (n *node) each(choices int, yield func(any) bool) bool {
	if n.nullable && choices == 1 && !yield(nil) {
		return false
	}
	switch n.kind {
	case object:
		return n.eachObject(0, choices, nil, yield)
	case list, mapping:
		return n.eachList(choices, nil, yield)
	}
	values := n.values
	switch {
	case choices > 1 || len(values) == 0:
		return true
	case choices == 0:
		values = values[:1]
	default:
		values = values[1:]
	}
	for _, v := range values {
		if !yield(v) {
			return false
		}
	}
	return true
}

// added is each for a value that need not be there: that it is there is a choice, too, unless
// something in it is one.
func (n *node) added(choices int, yield func(any) bool) bool {
	return (choices != 1 || n.each(0, yield)) && n.each(choices, yield)
}

// member is a field of an object with its value.
type member struct {
	name  string
	value any
}

// eachObject chooses the fields from the i-th on.
func (n *node) eachObject(i, choices int, made []member, yield func(any) bool) bool {
	if i == len(n.fields) {
		if choices > 0 {
			return true
		}
		value := make(map[string]any, len(made))
		for _, m := range made {
			value[m.name] = m.value
		}
		return yield(value)
	}
	f := n.fields[i]
	next := func(left int) func(any) bool {
		return func(value any) bool {
			return n.eachObject(i+1, left, append(made[:len(made):len(made)], member{f.name, value}), yield)
		}
	}
	if f.required {
		if !f.each(0, next(choices)) {
			return false
		}
	} else if !n.eachObject(i+1, choices, made, yield) {
		return false
	}
	for used := 1; used <= choices; used++ {
		values := f.added
		if f.required {
			values = f.each
		}
		if !values(used, next(choices-used)) {
			return false
		}
	}
	return true
}

// eachList chooses the elements after those that are made.
func (n *node) eachList(choices int, made []any, yield func(any) bool) bool {
	if len(made) >= n.least && choices == 0 && !yield(n.whole(made)) {
		return false
	}
	if len(made) >= n.most {
		return true
	}
	next := func(left int) func(any) bool {
		return func(value any) bool {
			return n.eachList(left, append(made[:len(made):len(made)], value), yield)
		}
	}
	if len(made) < n.least && !n.inner.each(0, next(choices)) {
		return false
	}
	for used := 1; used <= choices; used++ {
		values := n.inner.added
		if len(made) < n.least {
			values = n.inner.each
		}
		if !values(used, next(choices-used)) {
			return false
		}
	}
	return true
}

func (n *node) whole(made []any) any {
	if n.kind == list {
		return append([]any{}, made...)
	}
	value := make(map[string]any, len(made))
	for i, v := range made {
		value[keys[i]] = v
	}
	return value
}
