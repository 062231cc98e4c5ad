package prove

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/fuzz/apiserver"
	"github.com/crosswalk-gateway/crosswalk/runtime/module"
)

// again converts the object of a finding there and back, with the module alone, and reports whether
// the object differs, or has no answer. It returns both answers.
func again(ctx context.Context, d *apiserver.Definition, m *module.Module, f *fuzz.Finding) (there, back string, shows bool, err error) {
	a, b := d.Version(f.From), d.Version(f.To)
	if a == nil || b == nil || f.Object == nil {
		return "", "", false, nil
	}
	if f.Property == fuzz.Dependent || f.Property == fuzz.Violation {
		return "", "", true, nil // a single answer does not show it
	}
	was, err := apiserver.Decode(f.Object)
	if err != nil {
		return "", "", false, fmt.Errorf("the object of a finding: %w", err)
	}
	text, refused, err := convert(ctx, m, a, b, f.Object)
	if err != nil || refused != "" {
		return refused, "", refused != "", err
	}
	there = text
	other, err := apiserver.Decode([]byte(text))
	if err != nil {
		return "", "", false, fmt.Errorf("the answer of the module: %w", err)
	}
	b.Prune(other)
	defaulted := runtime.DeepCopyJSON(other)
	b.Default(defaulted)
	for _, object := range []map[string]any{other, defaulted} {
		text, err := json.Marshal(object)
		if err != nil {
			return "", "", false, err
		}
		if back, refused, err = convert(ctx, m, b, a, text); err != nil || refused != "" {
			return there, refused, refused != "", err
		}
		is, err := apiserver.Decode([]byte(back))
		if err != nil {
			return "", "", false, fmt.Errorf("the answer of the module: %w", err)
		}
		if a.Prune(is); f.Class != fuzz.ClassDefault {
			a.Default(is)
		}
		if fuzz.Differ(d, a, was, is) {
			return there, back, true, nil
		}
	}
	return there, back, f.Property == fuzz.Stale, nil // edits that kept values hide need two objects
}

// convert converts one object with the module alone.
func convert(ctx context.Context, m *module.Module, from, to *apiserver.Version, object []byte) (text, refused string, err error) {
	answers, refusals, err := m.Convert(ctx, from.APIVersion, to.APIVersion, [][]byte{object})
	switch {
	case err != nil:
		return "", "", err
	case len(refusals) > 0 && refusals[0] != "":
		return "", refusals[0], nil
	}
	return string(answers[0]), "", nil
}
