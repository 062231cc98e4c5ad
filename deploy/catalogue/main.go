// Command catalogue publishes modules of operators in a registry, from a list of operators and
// versions: for each kind an image with the module, a sidecar with golden cases from the operator's
// samples and its acknowledged losses, and the signed list of all files of the catalogue; and an
// index. It publishes only modules that crosswalk adopt calls equal to the operator's code, and
// whose losses the list explains. It also writes a page for each operator.
//
// It runs the operators' code, as crosswalk adopt does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
)

func main() {
	var o options
	flag.StringVar(&o.program, "crosswalk", "bin/crosswalk", "the program")
	flag.StringVar(&o.list, "list", "deploy/catalogue/operators.yaml", "the list of operators")
	flag.StringVar(&o.out, "out", "bin/catalogue", "directory for all files of the run")
	flag.StringVar(&o.pages, "pages", "deploy/catalogue", "directory for the operators' pages")
	flag.StringVar(&o.registry, "registry", "", "registry and path to publish to, such as registry.example.com/catalogue (default: a docker-registry of its own)")
	flag.StringVar(&o.key, "key", os.Getenv("CATALOGUE_KEY"), "file with the private key that signs, in PEM (default: $CATALOGUE_KEY, or a new key)")
	flag.IntVar(&o.objects, "objects", 5000, "objects that crosswalk fuzz generates for each kind")
	flag.StringVar(&o.operator, "operator", "", "make this operator of the list only, and an index of it alone")
	flag.Parse()
	o.log = os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

// errUnpublished reports kinds of the list that are not in the registry.
var errUnpublished = errors.New("not all kinds of the list are published; the index and the pages have the reasons")

func run(ctx context.Context, o options) (err error) {
	for _, path := range []*string{&o.program, &o.out, &o.pages} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	operators, err := readList(o.list)
	if err != nil {
		return err
	}
	if o.operator != "" {
		operators = slices.DeleteFunc(operators, func(op *operator) bool { return op.Name != o.operator })
	}
	if len(operators) == 0 {
		return fmt.Errorf("%s has no operator %q", o.list, o.operator)
	}
	signer, err := newSigner(o.key, o.out)
	if err != nil {
		return err
	}
	if o.registry == "" {
		stop, err := o.startRegistry(ctx)
		if err != nil {
			return err
		}
		defer stop()
	}
	var made []*entry
	for _, op := range operators {
		for _, k := range op.Kinds {
			e := &entry{operator: op, kind: k}
			fmt.Fprintf(o.log, "%s %s, %s\n", op.Name, op.Version, k.Kind)
			if err := o.make(ctx, e); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				fmt.Fprintf(o.log, "  not published: %v\n", err)
				e.Reasons = append(e.Reasons, err.Error())
			}
			made = append(made, e)
		}
	}
	if err := o.sign(signer, made); err != nil {
		return err
	}
	if err := o.publish(ctx, operators, made); err != nil {
		return err
	}
	for _, e := range made {
		if len(e.Reasons) > 0 {
			return errUnpublished
		}
	}
	return nil
}
