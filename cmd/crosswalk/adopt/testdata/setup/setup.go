package main

import (
	"context"

	statev1 "example.com/operator/state/v1"
)

const name = "set up"

// SetUp does what main does.
func SetUp() {
	statev1.SetGetter(func() string { return name })
	statev1.Prefix = name
	statev1.Describe = func() string { return statev1.Separator }
	statev1.Options.Mode.Name = name
	add("a")
}

func add(name string) { statev1.Names.Add(name) }

func SetUpContext(ctx context.Context) context.Context { return statev1.WithName(ctx, name) }
