package v2

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/testdata/scheme/loose/v1"
)

func (d *Disk) ConvertTo(ctx context.Context, object *unstructured.Unstructured) error {
	old := v1.Disk{TypeMeta: d.TypeMeta, ObjectMeta: d.ObjectMeta, Sizev1: d.Sizev2, Wait: d.Wait}
	members, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&old)
	object.Object = members
	return err
}

func (d *Disk) ConvertFrom(ctx context.Context, object *unstructured.Unstructured) error {
	var old v1.Disk
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &old)
	*d = Disk{TypeMeta: old.TypeMeta, ObjectMeta: old.ObjectMeta, Sizev2: old.Sizev1, Wait: old.Wait}
	return err
}
