// Command certificate converts cert-manager's Certificate among its four versions. Each step from
// one version to the next is written once; the module does the steps that lie between any two.
package main

import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"

const group = "cert-manager.io/"

// steps lead from the oldest version to the newest.
var steps = []struct {
	older, newer string
	up, down     crosswalk.Converter
}{
	{"v1alpha2", "v1alpha3", organizationToSubject, organizationFromSubject},
	{"v1alpha3", "v1beta1", keyToPrivateKey, keyFromPrivateKey},
	{"v1beta1", "v1", plainSANs, typedSANs},
}

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "certificate", Version: "1.0.0", Licence: "Apache-2.0"})
	for i := range steps {
		for j := i; j < len(steps); j++ { // from the older version of step i to the newer of step j
			crosswalk.Register(group+steps[i].older, group+steps[j].newer, climb(i, j))
			crosswalk.Register(group+steps[j].newer, group+steps[i].older, descend(j, i))
		}
	}
	// The fields that the steps read and write; the module never sees the rest of a Certificate.
	const stash = "metadata.annotations['conversion.cert-manager.io/stash']"
	crosswalk.Fields(group+"v1alpha2", "spec.organization", "spec.keyAlgorithm", "spec.keyEncoding", "spec.keySize", "spec.emailSANs", "spec.uriSANs", stash)
	crosswalk.Fields(group+"v1alpha3", "spec.subject.organizations", "spec.keyAlgorithm", "spec.keyEncoding", "spec.keySize", "spec.emailSANs", "spec.uriSANs", stash)
	crosswalk.Fields(group+"v1beta1", "spec.subject.organizations", "spec.privateKey.algorithm", "spec.privateKey.encoding", "spec.privateKey.size", "spec.emailSANs", "spec.uriSANs", stash)
	crosswalk.Fields(group+"v1", "spec.subject.organizations", "spec.privateKey.algorithm", "spec.privateKey.encoding", "spec.privateKey.size", "spec.emailAddresses", "spec.uris", stash)
}

func main() {} // never called

// climb returns the conversion that does the steps from one to another, the newer.
func climb(from, to int) crosswalk.Converter {
	return func(o *crosswalk.Object) error {
		o.Restore()
		for _, step := range steps[from : to+1] {
			if err := step.up(o); err != nil {
				return err
			}
		}
		return nil
	}
}

// descend returns the conversion that does the steps from one to another, the older.
func descend(from, to int) crosswalk.Converter {
	return func(o *crosswalk.Object) error {
		for i := from; i >= to; i-- {
			if err := steps[i].down(o); err != nil {
				return err
			}
		}
		return nil
	}
}
