package fuzz

import "context"

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
