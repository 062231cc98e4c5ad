package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// dependence converts objects together, one by one, and in reverse order after others: each answer
// must be the same.
func (c *checker) dependence(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	texts := append(textsOf(objects), from.first.text)
	together, err := c.convert.convert(ctx, to.APIVersion, texts)
	if err != nil {
		return nil, err
	}
	reversed := slices.Clone(texts)
	slices.Reverse(reversed)
	backwards, err := c.convert.convert(ctx, to.APIVersion, reversed)
	if err != nil {
		return nil, err
	}
	slices.Reverse(backwards)
	for i, o := range objects {
		alone, err := c.convert.convert(ctx, to.APIVersion, [][]byte{o.text})
		if err != nil {
			return nil, err
		}
		for _, other := range []answer{together[i], backwards[i]} {
			if alone[0].failure == other.failure && bytes.Equal(alone[0].text, other.text) {
				continue
			}
			s := symptom{key: "", property: Dependent, path: ".", was: absent{}, is: absent{}, detail: "by itself and among others the object becomes different ones"}
			if alone[0].failure != other.failure {
				s.detail = fmt.Sprintf("by itself: %s; among others: %s", outcome(alone[0]), outcome(other))
			} else if list := differences(to.Schema, c.def.Group, alone[0].value(), other.value()); len(list) > 0 {
				s.path, s.key, s.at, s.was, s.is = list[0].general, list[0].general, list[0].path, list[0].was, list[0].is
			}
			symptoms[i] = append(symptoms[i], s)
			break
		}
	}
	return symptoms, nil
}

func outcome(a answer) string {
	if a.failure == "" {
		return "converted"
	}
	return firstLine(a.message)
}
