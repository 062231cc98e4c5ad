module example.com/memory

go 1.24

require (
	example.com/extension v0.0.0
	example.com/hooks v0.0.0
	github.com/spf13/pflag v0.0.0
	gopkg.in/inf.v0 v0.0.0
	k8s.io/component-base v0.0.0
)

replace (
	example.com/extension => ../third/extension
	example.com/hooks => ../third/hooks
	github.com/spf13/pflag => ../third/pflag
	gopkg.in/inf.v0 => ../third/inf
	k8s.io/component-base => ../third/component-base
)
