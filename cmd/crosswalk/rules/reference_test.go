package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/rules/fieldpath"
)

// This file is a second implementation of rules, over plain maps and without a stash: each rule
// takes its values from an object, all of them before any rule leaves its own.

type members = map[string]any

// model is a rule of the second implementation: the paths of its values on both sides, and the
// conversion of these values. An absent value is nil.
type model struct {
	yaml  string
	paths [2][]fieldpath.Path
	turn  [2]func(in []any) ([]any, error) // from side 0, and from side 1
	make  [2]func(r *rand.Rand) []any      // values to convert
	only  int                              // the side that alone has the field; -1: both
	when  string                           // the value of mode for which the rule applies; "" for all
	rest  string                           // "true" or "false": and rest is there, or is not
	fixed any                              // the value of a constant
	inner []*model                         // rules for the elements of the list at the path
}

var errRefused = errors.New("refused")

// text passes strings to f, and refuses other values.
func onText(f func(string) (any, error)) func([]any) ([]any, error) {
	return func(in []any) ([]any, error) {
		if in[0] == nil {
			return []any{nil}, nil
		}
		s, ok := in[0].(string)
		if !ok {
			return nil, errRefused
		}
		out, err := f(s)
		return []any{out}, err
	}
}

// onInteger passes integers to f, and refuses other values.
func onInteger(f func(int64) (any, error)) func([]any) ([]any, error) {
	return func(in []any) ([]any, error) {
		if in[0] == nil {
			return []any{nil}, nil
		}
		n, ok := in[0].(json.Number)
		if !ok {
			return nil, errRefused
		}
		i, err := strconv.ParseInt(n.String(), 10, 64)
		if err != nil {
			return nil, errRefused
		}
		out, err := f(i)
		return []any{out}, err
	}
}

func same(in []any) ([]any, error) { return in, nil }

func number64(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// seconds is the conversion of a duration, rounded up.
func seconds(s string) (any, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, errRefused
	}
	n := int64(d / time.Second)
	if d > 0 && d%time.Second != 0 {
		n++
	}
	if _, err := fromSeconds(n); err != nil {
		return nil, err
	}
	return number64(n), nil
}

// counted is the conversion of a count of units of one size to one of another size, rounded up.
func counted(from, to int64) func(int64) (any, error) {
	return func(n int64) (any, error) {
		exact := new(big.Rat).Mul(big.NewRat(n, 1), big.NewRat(from, to))
		whole, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
		if rest.Sign() != 0 {
			whole.Add(whole, big.NewInt(1))
		}
		if back := new(big.Int).Quo(new(big.Int).Mul(whole, big.NewInt(to)), big.NewInt(from)); !whole.IsInt64() || !back.IsInt64() {
			return nil, errRefused
		}
		return number64(whole.Int64()), nil
	}
}

func fromSeconds(n int64) (any, error) {
	d := time.Duration(n) * time.Second
	if int64(d/time.Second) != n {
		return nil, errRefused
	}
	return d.String(), nil
}

// mebibytes is the conversion of a quantity, rounded up.
func mebibytes(s string) (any, error) {
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return nil, errRefused
	}
	exact, ok := new(big.Rat).SetString(q.AsDec().String())
	if !ok {
		return nil, errRefused
	}
	exact.Quo(exact, big.NewRat(1<<20, 1))
	n, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	if !n.IsInt64() {
		return nil, errRefused
	}
	return number64(n.Int64()), nil
}

func wholeNumber(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, errRefused
	}
	return number64(n), nil
}

// apply converts an object, which is the one that a list of rules is about, from a side.
func apply(rules []*model, side int, o members) (members, error) {
	out := clone(o).(members)
	about, _ := o["spec"].(members)
	if about == nil {
		about = o
	}
	type left struct {
		m      *model
		values []any
	}
	var results []left
	for _, m := range rules {
		if m.when != "" && about["mode"] != m.when || m.rest != "" && m.rest != fmt.Sprint(about["rest"] != nil) {
			continue
		}
		switch {
		case m.inner != nil:
			if err := applyInner(m, side, out); err != nil {
				return nil, err
			}
			continue
		case m.only == side:
			remove(out, m.paths[side][0])
			continue
		case m.only >= 0:
			if m.fixed != nil {
				results = append(results, left{m, []any{m.fixed}})
			}
			continue
		}
		var in []any
		for _, p := range m.paths[side] {
			in = append(in, at(out, p))
		}
		for _, p := range m.paths[side] {
			remove(out, p)
		}
		turned, err := m.turn[side](in)
		if err != nil {
			return nil, err
		}
		results = append(results, left{m, turned})
	}
	for _, one := range results {
		if one.m.fixed != nil {
			continue
		}
		places := one.m.paths[1-side]
		if len(one.values) != len(places) { // not converted, and kept in the stash
			continue
		}
		for i, p := range places {
			if one.values[i] != nil {
				if err := set(out, p, one.values[i]); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, one := range results {
		if one.m.fixed != nil {
			if parent, ok := at(out, one.m.paths[1-side][0].Parent()).(members); ok {
				parent[one.m.paths[1-side][0].Last()] = one.m.fixed
			}
		}
	}
	return out, nil
}

func applyInner(m *model, side int, o members) error {
	list, ok := at(o, m.paths[side][0]).([]any)
	if !ok {
		if at(o, m.paths[side][0]) != nil {
			return errRefused
		}
		return nil
	}
	for i, e := range list {
		element, ok := e.(members)
		if !ok {
			return fmt.Errorf("element %d: %w", i, errRefused)
		}
		converted, err := apply(m.inner, side, element)
		if err != nil {
			return err
		}
		list[i] = converted
	}
	return nil
}

func at(o members, p fieldpath.Path) any {
	var v any = o
	for _, key := range p {
		m, ok := v.(members)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func remove(o members, p fieldpath.Path) {
	if parent, ok := at(o, p.Parent()).(members); ok {
		delete(parent, p.Last())
	}
}

func set(o members, p fieldpath.Path, v any) error {
	for _, key := range p.Parent() {
		next, ok := o[key]
		if !ok || next == nil {
			next = members{}
			o[key] = next
		}
		inner, ok := next.(members)
		if !ok {
			return errRefused
		}
		o = inner
	}
	if o[p.Last()] != nil {
		return errRefused
	}
	o[p.Last()] = v
	return nil
}

func clone(v any) any { return content(v, false) }

// content returns a copy of a value, without null members; full: without empty objects, too, and
// without the constants, which depend on them.
func content(v any, full bool) any {
	switch v := v.(type) {
	case members:
		m := members{}
		for k, e := range v {
			if e != nil && (!full || e != "constant" && e != json.Number("7777777")) { // an API server prunes them
				m[k] = content(e, full)
			}
			if inner, ok := m[k].(members); ok && full && len(inner) == 0 {
				delete(m, k)
			}
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = content(e, full)
		}
		return l
	case json.Number:
		if v == "-0" {
			return json.Number("0")
		}
	}
	return v
}

// joined is the conversion of parts to one string.
func joined(separator string) func([]any) ([]any, error) {
	return func(in []any) ([]any, error) {
		var parts []string
		for _, v := range in {
			s, ok := v.(string)
			switch {
			case v == nil:
				continue
			case !ok || strings.Contains(s, separator):
				return nil, errRefused
			}
			parts = append(parts, s)
		}
		if len(parts) < len(in) {
			return nil, nil
		}
		return []any{strings.Join(parts, separator)}, nil
	}
}

// quantityOf is the text of a count of Mi.
func quantityOf(n int64) string {
	units := []string{"Mi", "Gi", "Ti", "Pi", "Ei"}
	for n != 0 && n%1024 == 0 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	if n == 0 {
		return "0"
	}
	return strconv.FormatInt(n, 10) + units[0]
}
