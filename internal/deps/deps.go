// Package deps keeps the dependencies in go.mod while the packages that use them are being written.
package deps

import (
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/prometheus/client_golang/prometheus/testutil"
	_ "github.com/spf13/pflag"
	_ "github.com/tetratelabs/wazero"
	_ "k8s.io/apimachinery/pkg/api/validation"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	_ "k8s.io/apimachinery/pkg/util/version"
	_ "sigs.k8s.io/json"
)
