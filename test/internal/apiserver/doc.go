// Package apiserver runs a real Kubernetes API server for custom resources inside the calling
// process: apiextensions-apiserver on an embedded etcd, the code that calls conversion webhooks in
// production. It has no namespaces, RBAC or core API, and needs none here.
//
// The program must not be built with -trimpath: the server finds its own certificate fixtures by
// their source path in the module cache.
package apiserver
