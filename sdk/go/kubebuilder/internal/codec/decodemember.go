package codec

// key reads the next member's name and its colon; end says that the object has no members.
func (d *decoder) key(first bool) (key string, end bool, err error) {
	if first {
		d.pos++ // the brace
		if d.blank(); d.pos < len(d.text) && d.text[d.pos] == '}' {
			d.pos++
			return "", true, nil
		}
	}
	if d.pos >= len(d.text) || d.text[d.pos] != '"' {
		return "", false, errSyntax
	}
	if key, err = d.string(); err != nil {
		return "", false, err
	}
	if d.blank(); d.pos >= len(d.text) || d.text[d.pos] != ':' {
		return "", false, errSyntax
	}
	d.pos++
	d.blank()
	return key, false, nil
}

// next goes to the next member or element; more is false behind the last one.
func (d *decoder) next(closing byte) (more bool, err error) {
	d.blank()
	if d.pos >= len(d.text) {
		return false, errSyntax
	}
	c := d.text[d.pos]
	d.pos++
	switch c {
	case ',':
		d.blank()
		return true, nil
	case closing:
		return false, nil
	}
	return false, errSyntax
}
