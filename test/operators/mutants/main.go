// Command mutants attacks the comparison of crosswalk adopt. It adopts operators, makes modules whose
// copied conversions have one mistake each, and reports the mistakes that the comparison does not
// notice. A survivor must be explained in equivalent.txt.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type options struct {
	program, work, sdk, explanations, kind string
	each                                   int
	seed                                   int64
}

func main() {
	var o options
	flag.StringVar(&o.program, "crosswalk", "../../bin/crosswalk", "the program")
	flag.StringVar(&o.work, "work", "", "the directory to work in, whose projects and modules are used again (default: a temporary one)")
	flag.StringVar(&o.sdk, "sdk", "../../sdk/go", "the SDK, whose comparison is attacked")
	flag.StringVar(&o.explanations, "equivalent", "mutants/equivalent.txt", "the file with the mutants that no comparison can notice")
	flag.StringVar(&o.kind, "kind", "", "attack this kind only")
	flag.IntVar(&o.each, "each", 20, "mutants for each kind")
	flag.Int64Var(&o.seed, "seed", 1, "the seed of the choice")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func (o options) run() error {
	explained, err := readExplanations(o.explanations)
	if err != nil {
		return err
	}
	if o.work == "" {
		if o.work, err = os.MkdirTemp("", "mutants"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(o.work) }()
	}
	for _, path := range []*string{&o.work, &o.program} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	var all []mutant
	for _, of := range operators() {
		if o.kind != "" && o.kind != of.Kind && o.kind != of.label() {
			continue
		}
		p := project{options: o, operator: of, dir: filepath.Join(o.work, strings.ReplaceAll(of.label(), " ", "-"), "converter")}
		mutants, err := p.attack()
		if err != nil {
			return fmt.Errorf("%s: %w", of.Kind, err)
		}
		for i := range mutants {
			mutants[i].Explanation = explained[mutants[i].key()]
			fmt.Println(mutants[i])
		}
		all = append(all, mutants...)
	}
	if err := write(o.work, all); err != nil {
		return err
	}
	open := 0
	for _, m := range all {
		if m.Differing == 0 && m.Explanation == "" {
			open++
		}
	}
	fmt.Print(summary(all))
	if open > 0 {
		return fmt.Errorf("the comparison does not notice %d of %d mutants: close the gap, or explain them in %s", open, len(all), o.explanations)
	}
	if len(all) == 0 {
		return errors.New("there is no operator of this kind")
	}
	return nil
}
