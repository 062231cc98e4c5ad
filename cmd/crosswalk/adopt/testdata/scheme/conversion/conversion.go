// Package conversion has functions as conversion-gen writes them, and as authors register them.
package conversion

import (
	"errors"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/testdata/scheme/internalversion"
	v1 "github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/testdata/scheme/v1"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/testdata/scheme/v1alpha1"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/testdata/scheme/v1beta1"
)

func RegisterConversions(s *runtime.Scheme) error {
	err := s.AddGeneratedConversionFunc((*v1alpha1.Disk)(nil), (*v1.Disk)(nil), func(a, b interface{}, scope conversion.Scope) error {
		return Convert_v1alpha1_Disk_To_v1_Disk(a.(*v1alpha1.Disk), b.(*v1.Disk), scope)
	})
	// An author's function goes before the generated one, and may have any name.
	more := s.AddConversionFunc((*v1alpha1.Disk)(nil), (*v1.Disk)(nil), func(a, b interface{}, scope conversion.Scope) error {
		return DiskUp(a.(*v1alpha1.Disk), b.(*v1.Disk))
	})
	return errors.Join(err, more)
}

func Convert_v1alpha1_Disk_To_v1_Disk(in *v1alpha1.Disk, out *v1.Disk, s conversion.Scope) error {
	out.ObjectMeta, out.Size = in.ObjectMeta, in.Size
	return nil
}

func DiskUp(in *v1alpha1.Disk, out *v1.Disk) error {
	klog.V(2).InfoS("converting", "name", in.Name)
	if in.Size < 0 {
		klog.Fatalf("the size is %d", in.Size)
	}
	klog.FromContext(nil).Info("converted")
	return Convert_v1alpha1_Disk_To_v1_Disk(in, out, nil)
}

func Convert_v1_Disk_To_v1alpha1_Disk(in *v1.Disk, out *v1alpha1.Disk, s conversion.Scope) error {
	out.ObjectMeta, out.Size = in.ObjectMeta, in.Size
	return nil
}

func Convert_v1beta1_Disk_To_v1_Disk(in *v1beta1.Disk, out *v1.Disk, s conversion.Scope) error {
	return nil
}
func Convert_v1_Disk_To_v1beta1_Disk(in *v1.Disk, out *v1beta1.Disk, s conversion.Scope) error {
	return nil
}

func Convert_v1_Part_To_v1beta1_Part(in *v1.Part, out *v1beta1.Part, s conversion.Scope) error {
	return nil
}
func Convert_v1beta1_Part_To_v1_Part(in *v1beta1.Part, out *v1.Part, s conversion.Scope) error {
	return nil
}

func Convert_v1beta1_Lonely_To_v1_Lonely(in *v1beta1.Lonely, out *v1.Lonely, s conversion.Scope) error {
	return nil
}

func Convert_v1_Disk_To_internalversion_Disk(in *v1.Disk, out *internalversion.Disk, s conversion.Scope) error {
	return nil
}
func Convert_internalversion_Disk_To_v1_Disk(in *internalversion.Disk, out *v1.Disk, s conversion.Scope) error {
	return nil
}
