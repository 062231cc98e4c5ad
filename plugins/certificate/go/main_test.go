package main

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

func TestVectors(t *testing.T) { crosswalktest.Run(t, "../testdata/vectors.json") }
