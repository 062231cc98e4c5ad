package extract

import (
	"go/types"
	"slices"
	"strings"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/calls"
	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/adopt/discover"
)

// knownTypes are encoded by the SDK's codec without their methods, which need encoding/json.
func knownTypes() []string {
	const meta = "k8s.io/apimachinery/pkg/apis/meta/v1."
	return []string{meta + "Time", meta + "MicroTime", meta + "Duration", meta + "FieldsV1",
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString", "k8s.io/apimachinery/pkg/runtime.RawExtension"}
}

func (x *Extraction) addInterface(methods []string) {
	slices.Sort(methods)
	if key := strings.Join(methods, " "); key != "" && !x.interfaces[key] {
		x.interfaces[key] = true
		x.sets = append(x.sets, methods)
	}
}

// reachMethods reaches the methods of types that may be called by way of interfaces: all of an
// interface, if the type has each of these names.
func (x *Extraction) reachMethods() {
	for _, named := range x.named {
		if types.IsInterface(named) {
			continue
		}
		methods := map[string]*types.Func{}
		set := types.NewMethodSet(types.NewPointer(named))
		for i := range set.Len() {
			if f, ok := set.At(i).Obj().(*types.Func); ok {
				methods[f.Name()] = f
			}
		}
		if len(methods) == 0 {
			continue
		}
		for _, names := range x.sets {
			if !slices.ContainsFunc(names, func(n string) bool { return methods[n] == nil }) {
				for _, n := range names {
					x.reachMethod(methods[n])
				}
			}
		}
		for _, n := range calls.ByName() {
			x.reachMethod(methods[n])
		}
		if x.Hidden.keepText(named.Obj()) {
			for _, n := range calls.Texts() {
				x.reachMethod(methods[n])
			}
		}
	}
}

func (x *Extraction) reachMethod(f *types.Func) {
	if f == nil || f.Signature().Recv() == nil || types.IsInterface(f.Signature().Recv().Type()) {
		return
	}
	if (f.Name() == "MarshalJSON" || f.Name() == "UnmarshalJSON") && !x.json && slices.Contains(knownTypes(), discover.Receiver(f)) {
		return
	}
	x.reach(f)
}
