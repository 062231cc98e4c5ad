package main

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

func TestCases(t *testing.T) { crosswalktest.Run(t, "../../testdata/bin/vectors/hostport.json") }
