package chart

import (
	"slices"
	"strings"
	"testing"
)

// TestOwners: each owner has a directory of its own, which nobody else's volume fills.
func TestOwners(t *testing.T) {
	spec := gateway(t, `{owners: [{name: payments, groups: [p.example.com, q.example.com]}, {name: search, configMaps: [a, b]}, {name: mail, groups: [m.example.com], image: {reference: "registry.example.com/mail@sha256:0"}}], gateway: {require: [search/K.s.example.com_v1_v2]}}`).Spec.Template.Spec
	volumes := map[string]string{}
	for _, v := range spec.Volumes {
		switch {
		case v.Projected != nil:
			var names []string
			for _, s := range v.Projected.Sources {
				names = append(names, s.ConfigMap.Name)
			}
			volumes[v.Name] = strings.Join(names, " ")
		case v.Image != nil:
			volumes[v.Name] = v.Image.Reference
		}
	}
	var flags []string
	for _, arg := range spec.Containers[0].Args {
		if owner, ok := strings.CutPrefix(arg, "--modules="); ok {
			flags = append(flags, owner)
		}
	}
	if want := []string{"payments=/modules/payments", "search=/modules/search", "mail=/modules/mail"}; !slices.Equal(flags, want) {
		t.Errorf("--modules %q, want %q", flags, want)
	}
	groups := slices.DeleteFunc(slices.Clone(spec.Containers[0].Args), func(arg string) bool { return !strings.HasPrefix(arg, "--groups=") })
	if want := []string{"--groups=payments=p.example.com", "--groups=payments=q.example.com", "--groups=mail=m.example.com"}; !slices.Equal(groups, want) {
		t.Errorf("%q, want %q", groups, want)
	}
	for owner, want := range map[string]string{"payments": "crosswalk-modules-payments", "search": "a b", "mail": "registry.example.com/mail@sha256:0"} {
		if got := volumes["modules-"+owner]; got != want {
			t.Errorf("the volume of %s has %q, want %q", owner, got, want)
		}
		mounted := false
		for _, m := range spec.Containers[0].VolumeMounts {
			mounted = mounted || m.Name == "modules-"+owner && m.MountPath == "/modules/"+owner && m.ReadOnly
		}
		if !mounted {
			t.Errorf("the volume of %s is not mounted: %+v", owner, spec.Containers[0].VolumeMounts)
		}
	}
	for _, v := range gateway(t, `{owners: [{name: payments, groups: [p.example.com]}], controller: {enabled: true, image: {repository: a, tag: b}}}`).Spec.Template.Spec.Volumes {
		if v.Name == "modules-payments" && (len(v.Projected.Sources) != 2 || v.Projected.Sources[1].ConfigMap.Name != "crosswalk-definitions") {
			t.Errorf("the definitions of the controller are not beside the modules of an owner: %+v", v.Projected.Sources)
		}
	}
	if _, ok := volumes["modules"]; ok {
		t.Error("there is a directory for all beside those of the owners")
	}
}
