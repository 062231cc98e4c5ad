package crosswalk

// view appends the part of a value that the gateway shows to a module.
func (f *declaredField) view(dst []byte, v Value) []byte {
	if !f.whole && v.Type() == TypeObject && f.fits(TypeObject) {
		dst = append(dst, '{')
		some := false
		for name, member := range v.Members() {
			child := f.find(name)
			if child == nil {
				continue
			}
			if some {
				dst = append(dst, ',')
			}
			some = true
			dst = child.view(append(Quote(dst, name), ':'), member)
		}
		return append(dst, '}')
	}
	if !f.whole && v.Type() == TypeArray && f.fits(TypeArray) {
		dst = append(dst, '[')
		for i, element := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = f.elements.view(dst, element)
		}
		return append(dst, ']')
	}
	if !f.whole { // an empty value of its type
		return append(dst, emptyTexts[v.Type()]...)
	}
	raw, _ := v.Raw()
	return append(dst, raw...)
}

// emptyTexts has the empty value of each type.
var emptyTexts = [...]string{TypeNull: "null", TypeBool: "false", TypeNumber: "0", TypeString: `""`, TypeArray: "[]", TypeObject: "{}"}

// isEmpty reports whether a value is the empty value of its type.
func isEmpty(v Value) bool {
	switch v.Type() {
	case TypeObject:
		for range v.Members() {
			return false
		}
		return true
	case TypeArray:
		for range v.Elements() {
			return false
		}
		return true
	}
	raw, _ := v.Raw()
	return string(raw) == emptyTexts[v.Type()]
}

// spliceAnswer merges a response into its original object, as the gateway does.
//
// # Errors
//
// spliceAnswer returns an error where the gateway would fail the review.
func (f *declaredField) spliceAnswer(object, answer []byte, desired string) ([]byte, error) {
	o, a := Parse(object), Parse(answer)
	if err := f.check(a.Value); err != nil {
		return nil, err
	}
	if err := f.merge(o.Value, a.Value); err != nil {
		return nil, err
	}
	o.SetString(Path{"apiVersion"}, desired)
	return o.AppendJSON(nil)
}

// check returns an error if a response has fields that are not declared.
func (f *declaredField) check(v Value) error {
	switch t := v.Type(); {
	case !f.fits(t), f.whole: // see wrong
	case t == TypeObject:
		for name, member := range v.Members() {
			child := f.find(name)
			if child == nil {
				if saysNothing(member) {
					continue
				}
				return Errorf("the answer has %s, which is not among the fields that the module declares (crosswalk.Fields)", member.Location())
			}
			if err := child.check(member); err != nil {
				return err
			}
		}
	default:
		for _, element := range v.Elements() {
			if err := f.elements.check(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// saysNothing reports whether a value is null, or an object of such values only.
func saysNothing(v Value) bool {
	if v.Type() == TypeObject {
		for _, member := range v.Members() {
			if !saysNothing(member) {
				return false
			}
		}
		return true
	}
	return v.Type() == TypeNull
}

// members lists the members of an object by name, in their order. It returns nothing for other
// types.
func members(v Value) (names []string, values map[string]Value) {
	values = map[string]Value{}
	if v.Type() == TypeObject {
		for name, member := range v.Members() {
			names = append(names, name)
			values[name] = member
		}
	}
	return names, values
}

// merge replaces the declared parts of an object by those of the response.
func (f *declaredField) merge(o, a Value) error {
	oldNames, old := members(o)
	newNames, answered := members(a)
	for _, name := range oldNames {
		child := f.find(name)
		value, has := answered[name]
		if child == nil || child.role == envelopeField || child.role == otherMetadataField || child.role == metadataField && !has {
			continue
		}
		keep, err := child.mergeValue(old[name], value, has)
		if err != nil {
			return err
		}
		if !keep {
			old[name].Remove()
		}
	}
	for _, name := range newNames {
		child := f.find(name)
		if _, has := old[name]; has || child == nil || child.role == otherMetadataField {
			continue
		}
		value := answered[name]
		switch {
		case child.role == metadataField:
			o.SetRaw(Path{name}, []byte("{}"))
			made, _ := o.Get(name)
			if err := child.merge(made, value); err != nil {
				return err
			}
		case value.Type() == TypeNull && (!child.whole || child.role == labelsField):
		default:
			if err := child.wrong(value); err != nil {
				return err
			}
			o.SetRaw(Path{name}, child.view(nil, value))
		}
	}
	return nil
}

// wrong returns an error if a value that the response adds has a type that cannot contain its
// declared parts.
func (f *declaredField) wrong(v Value) (err error) {
	t := v.Type()
	if f.whole || t == TypeNull {
		return nil
	}
	if !f.fits(t) {
		want := "an object"
		if len(f.named) == 0 && f.every == nil {
			want = "an array"
		}
		return Errorf("the answer has %s that is %s, not %s: the module declares only parts of it", v.Location(), t, want)
	}
	if t == TypeObject {
		for name, member := range v.Members() {
			if child := f.find(name); child != nil && err == nil {
				err = child.wrong(member)
			}
		}
		return err
	}
	for _, element := range v.Elements() {
		if err == nil {
			err = f.elements.wrong(element)
		}
	}
	return err
}

// mergeValue replaces the declared parts of a value by those of the response. It reports whether
// any part of the value remains.
func (f *declaredField) mergeValue(o, a Value, has bool) (keep bool, err error) {
	was, now := o.Type(), a.Type()
	if f.role == labelsField && now == TypeNull && was != TypeNull {
		has = false
	}
	other := !f.fits(was) && was != TypeNull // it was shown as an empty value
	absent := !has || now == TypeNull && !f.whole
	switch {
	case other && !absent && (was != now || !isEmpty(a)):
		return true, Errorf("the answer has %s, which in the object is %s, so that nothing of it is declared", a.Location(), was)
	case other:
		return true, nil
	case absent && f.emptied(o):
		return has && was == TypeNull, nil
	case f.whole:
		o.SetValue(nil, a)
		return true, nil
	case !absent && !f.fits(now):
		return true, f.wrong(a)
	case was == TypeObject && (absent || now == TypeObject):
		return true, f.merge(o, a)
	case was == TypeArray && (absent || now == TypeArray):
		return true, f.mergeElements(o, a)
	case was == TypeNull || f.emptied(o):
		if err := f.wrong(a); err != nil {
			return true, err
		}
		o.SetRaw(nil, f.view(nil, a))
		return true, nil
	}
	return true, Errorf("the answer has %s that is %s, where the object has %s with more in it than is declared", a.Location(), now, was)
}

// mergeElements does the same as mergeValue for the elements of an array.
func (f *declaredField) mergeElements(o, a Value) error {
	var old, answered []Value
	for _, element := range o.Elements() {
		old = append(old, element)
	}
	if a.Type() == TypeArray {
		for _, element := range a.Elements() {
			answered = append(answered, element)
		}
	}
	if len(old) == 0 {
		o.SetRaw(nil, f.view(nil, a))
		return f.wrong(a)
	}
	if len(old) != len(answered) {
		return Errorf("the answer has %d elements in %s, where the object has %d: only parts of them are declared, so that none can be added or removed",
			len(answered), o.Location(), len(old))
	}
	for i, element := range old {
		keep, err := f.elements.mergeValue(element, answered[i], true)
		if err != nil {
			return err
		}
		if !keep {
			element.SetRaw(nil, []byte("null"))
		}
	}
	return nil
}

// emptied reports whether a value consists of declared parts only, so that removing them leaves
// nothing.
func (f *declaredField) emptied(v Value) bool {
	switch t := v.Type(); {
	case f.whole || t == TypeNull:
		return true
	case !f.fits(t):
		return false
	case t == TypeArray:
		for range v.Elements() {
			return false
		}
		return true
	}
	for name, member := range v.Members() {
		if child := f.find(name); child == nil || !child.emptied(member) {
			return false
		}
	}
	return true
}
