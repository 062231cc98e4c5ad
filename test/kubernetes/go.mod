// Each version of Kubernetes has a module file of its own beside this one: go build -modfile 1.29.mod.
module github.com/crosswalk-gateway/crosswalk/test/kubernetes

go 1.26.0
