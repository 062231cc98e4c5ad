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

func (r *reacher) addInterface(methods []string) {
	slices.Sort(methods)
	if key := strings.Join(methods, " "); key != "" && !r.interfaces[key] {
		r.interfaces[key] = true
		r.sets = append(r.sets, methods)
	}
}

// reachMethods reaches the methods of types that may be called by way of interfaces: all of an
// interface, if the type has each of these names.
func (r *reacher) reachMethods() {
	for _, named := range r.named {
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
		for _, names := range r.sets {
			if !slices.ContainsFunc(names, func(n string) bool { return methods[n] == nil }) {
				for _, n := range names {
					r.reachMethod(methods[n])
				}
			}
		}
		for _, n := range calls.ByName() {
			r.reachMethod(methods[n])
		}
		if r.Hidden.keepText(named.Obj()) {
			for _, n := range calls.Texts() {
				r.reachMethod(methods[n])
			}
		}
	}
}

func (r *reacher) reachMethod(f *types.Func) {
	if f == nil || f.Signature().Recv() == nil || types.IsInterface(f.Signature().Recv().Type()) {
		return
	}
	if (f.Name() == "MarshalJSON" || f.Name() == "UnmarshalJSON") && !r.json && slices.Contains(knownTypes(), discover.Receiver(f)) {
		return
	}
	r.reach(f)
}
