package fuzz

import (
	"bytes"
	"context"
)

// chains compares the direct conversion with the one by way of every other version.
func (c *checker) chains(ctx context.Context, from, to *version, objects []*subject) ([][]symptom, error) {
	symptoms := make([][]symptom, len(objects))
	var direct []answer
	for _, over := range c.versions {
		if over == from || over == to || !c.edges.direct(from.Name, to.Name) || !c.edges.direct(from.Name, over.Name) || !c.edges.direct(over.Name, to.Name) {
			continue
		}
		if direct == nil {
			var err error
			if direct, err = c.convert.batch(ctx, to.APIVersion, objects); err != nil {
				return nil, err
			}
		}
		if err := c.detour(ctx, over, to, objects, direct, symptoms); err != nil {
			return nil, err
		}
	}
	return symptoms, nil
}

// detour converts objects to a version by way of another, and compares the answers with the direct
// ones.
func (c *checker) detour(ctx context.Context, over, to *version, objects []*subject, direct []answer, symptoms [][]symptom) error {
	texts, which, err := c.onward(ctx, over, objects)
	if err != nil || len(texts) == 0 {
		return err
	}
	second, err := c.convert.convert(ctx, to.APIVersion, texts)
	if err != nil {
		return err
	}
	for j, a := range second {
		i := which[j]
		if direct[i].failure != "" {
			continue // other checks report it
		}
		if a.failure != "" {
			s := failed(a, "by way of "+over.Name)
			s.property = Chain
			symptoms[i] = append(symptoms[i], s)
			continue
		}
		if bytes.Equal(direct[i].text, a.text) {
			continue
		}
		straight, value := direct[i].value(), a.value()
		to.Prune(straight)
		to.Prune(value)
		for _, d := range differences(to.Schema, c.def.Group, straight, value) {
			s := d.symptom(over.Name+" "+d.general, "directly, and by way of "+over.Name)
			s.property = Chain
			symptoms[i] = append(symptoms[i], s)
		}
	}
	return nil
}

// onward converts objects to a version, and returns those that it could convert as the API server
// passes them on: pruned. which has their indices.
func (c *checker) onward(ctx context.Context, to *version, objects []*subject) (texts [][]byte, which []int, err error) {
	answers, err := c.convert.convert(ctx, to.APIVersion, textsOf(objects)) // not batch, whose last answers are of use to the next check
	if err != nil {
		return nil, nil, err
	}
	for i, a := range answers {
		if a.failure == "" {
			value := a.value()
			to.Prune(value)
			texts, which = append(texts, encode(value)), append(which, i)
		}
	}
	return texts, which, nil
}

// byWayOf converts objects to a version by way of another, and returns those that come as far as the
// other one with their answers.
func (c *checker) byWayOf(ctx context.Context, over, to *version, objects []*subject) (passed []*subject, answers []answer, err error) {
	there, which, err := c.onward(ctx, over, objects)
	if err != nil || len(there) == 0 {
		return nil, nil, err
	}
	for _, i := range which {
		passed = append(passed, objects[i])
	}
	answers, err = c.convert.convert(ctx, to.APIVersion, there)
	return passed, answers, err
}
