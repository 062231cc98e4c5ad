// Package scheme has the builder by which types are registered.
package scheme

import "k8s.io/apimachinery/pkg/runtime"

type Builder struct{ GroupVersion runtime.GroupVersion }

func (b *Builder) Register(objects ...any) *Builder { return b }
