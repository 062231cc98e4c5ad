package main

import (
	"testing"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/crosswalktest"
)

func TestCases(t *testing.T) {
	crosswalktest.Run(t, "../../testdata/bin/vectors/widget-v1beta1-v1.json")
}
