package crosswalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// model is the same document decoded by encoding/json, in the simplest way. Object must agree with
// it.
type model struct {
	raw      []byte // as it was in the text; nil when edited
	kind     byte   // first byte
	members  []*modelMember
	elements []*model
}

type modelMember struct {
	key   string
	value *model
}

var errModel = errors.New("this edit cannot be done")

// parseModel reads JSON; duplicate keys are an error, as the gateway refuses them.
func parseModel(raw []byte) (*model, error) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if !json.Valid(raw) {
		return nil, errors.New("not JSON")
	}
	m := &model{raw: raw, kind: raw[0]}
	if m.kind != '{' && m.kind != '[' {
		m.raw = bytes.TrimRight(raw, " \t\r\n")
		return m, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		var key string
		if m.kind == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			key = token.(string)
			if m.member(key) != nil {
				return nil, errors.New("duplicate key")
			}
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		value, err := parseModel(raw)
		if err != nil {
			return nil, err
		}
		if m.kind == '{' {
			m.members = append(m.members, &modelMember{key, value})
		} else {
			m.elements = append(m.elements, value)
		}
	}
	return m, nil
}

func (m *model) member(key string) *modelMember {
	for _, c := range m.members {
		if c.key == key {
			return c
		}
	}
	return nil
}

// get returns the value at path, nil if it is absent, or an error if a value on the path is not an
// object.
func (m *model) get(path []string) (*model, error) {
	for _, key := range path {
		if m.kind != '{' && m.kind != 'n' {
			return nil, errModel
		}
		c := m.member(key)
		if c == nil {
			return nil, nil
		}
		m = c.value
	}
	return m, nil
}

// parent returns the object that holds the last key of path, made if need be.
func (m *model) parent(path []string) (*model, error) {
	for i := 0; ; i++ {
		switch m.kind {
		case '{':
		case 'n':
			*m = model{kind: '{'}
		default:
			return nil, errModel
		}
		m.raw = nil
		if i == len(path)-1 {
			return m, nil
		}
		c := m.member(path[i])
		if c == nil {
			c = &modelMember{path[i], &model{kind: '{'}}
			m.members = append(m.members, c)
		}
		m = c.value
	}
}

// touch forgets the text of everything on the way to path.
func (m *model) touch(path []string) {
	m.raw = nil
	for _, key := range path {
		c := m.member(key)
		if c == nil {
			return
		}
		m = c.value
		m.raw = nil
	}
}

func (m *model) set(value *model, path []string) error {
	if len(path) == 0 {
		*m = *value
		return nil
	}
	p, err := m.parent(path)
	if err != nil {
		return err
	}
	if c := p.member(path[len(path)-1]); c != nil {
		c.value = value
	} else {
		p.members = append(p.members, &modelMember{path[len(path)-1], value})
	}
	return nil
}

func (m *model) appendTo(value *model, path []string) error {
	at, err := m.get(path)
	if err != nil {
		return err
	}
	if at == nil || at.kind == 'n' {
		return m.set(&model{kind: '[', elements: []*model{value}}, path)
	}
	if at.kind != '[' {
		return errModel
	}
	m.touch(path)
	at.elements = append(at.elements, value)
	return nil
}

// take removes the value at path and returns it; nil if it is absent.
func (m *model) take(path []string) (*model, error) {
	if len(path) == 0 {
		return nil, errModel
	}
	value, err := m.get(path)
	if value == nil {
		return nil, err
	}
	m.touch(path[:len(path)-1])
	p, _ := m.get(path[:len(path)-1])
	for i, c := range p.members {
		if c.key == path[len(path)-1] {
			p.members = append(p.members[:i:i], p.members[i+1:]...)
			break
		}
	}
	return value, nil
}

func (m *model) rename(key string, path []string) error {
	if len(path) == 0 {
		return errModel
	}
	value, err := m.get(path)
	if value == nil {
		return err
	}
	last := len(path) - 1
	p, _ := m.get(path[:last])
	if path[last] == key {
		return nil
	}
	if p.member(key) != nil {
		return errModel
	}
	m.touch(path[:last])
	p.member(path[last]).key = key
	return nil
}

func (m *model) move(from, to []string) error {
	if value, err := m.get(from); value == nil {
		return err
	}
	if len(to) == 0 {
		return errModel
	}
	value, err := m.take(from)
	if err != nil {
		return err
	}
	p, err := m.parent(to)
	if err != nil {
		return err
	}
	if c := p.member(to[len(to)-1]); c != nil {
		if c.value.kind != 'n' {
			return errModel
		}
		m.take(to)
	}
	return m.set(value, to)
}

// diff describes how got, a JSON text, differs from m, or returns "". Values that were not edited
// must have the same bytes.
func (m *model) diff(got []byte) string {
	if m.raw != nil {
		if want := bytes.TrimSpace(m.raw); !bytes.Equal(want, bytes.TrimSpace(got)) {
			return fmt.Sprintf("got %s, want %s", got, want)
		}
		return ""
	}
	g, err := parseModel(got)
	if err != nil {
		return fmt.Sprintf("got %s: %v", got, err)
	}
	if g.kind != m.kind || len(g.members) != len(m.members) || len(g.elements) != len(m.elements) {
		return fmt.Sprintf("got %s, want %s", got, m)
	}
	for i, c := range m.members {
		if g.members[i].key != c.key {
			return fmt.Sprintf("got %s, want %s", got, m)
		}
		if diff := c.value.diff(g.members[i].value.raw); diff != "" {
			return "." + c.key + ": " + diff
		}
	}
	for i, e := range m.elements {
		if diff := e.diff(g.elements[i].raw); diff != "" {
			return fmt.Sprintf("[%d]: %s", i, diff)
		}
	}
	return ""
}

// String returns m as JSON.
func (m *model) String() string {
	if m.raw != nil {
		return string(m.raw)
	}
	var parts []string
	for _, c := range m.members {
		key, _ := json.Marshal(c.key)
		parts = append(parts, string(key)+":"+c.value.String())
	}
	for _, e := range m.elements {
		parts = append(parts, e.String())
	}
	if m.kind == '[' {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + "}"
}
