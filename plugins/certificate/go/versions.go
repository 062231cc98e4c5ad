package main

import crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"

// Paths of the fields that all versions have, in each version.
var (
	organization  = crosswalk.Path{"spec", "organization"} // v1alpha2
	organizations = crosswalk.Path{"spec", "subject", "organizations"}

	keyAlgorithm = crosswalk.Path{"spec", "keyAlgorithm"} // v1alpha2, v1alpha3
	keyEncoding  = crosswalk.Path{"spec", "keyEncoding"}
	keySize      = crosswalk.Path{"spec", "keySize"}
	algorithm    = crosswalk.Path{"spec", "privateKey", "algorithm"}
	encoding     = crosswalk.Path{"spec", "privateKey", "encoding"}
	size         = crosswalk.Path{"spec", "privateKey", "size"}
)

// Strings that v1alpha3 and older spell in lower case, and v1beta1 and newer in capitals.
var (
	algorithms = crosswalk.Enum{{"rsa", "RSA"}, {"ecdsa", "ECDSA"}}
	encodings  = crosswalk.Enum{{"pkcs1", "PKCS1"}, {"pkcs8", "PKCS8"}}
)

// From v1alpha2 to v1alpha3: an organization is a part of the subject.

func organizationToSubject(o *crosswalk.Object) error {
	o.Move(organization, organizations)
	return nil
}

func organizationFromSubject(o *crosswalk.Object) error {
	if o.Move(organizations, organization) {
		deleteEmpty(o, "spec", "subject")
	}
	return nil
}

// From v1alpha3 to v1beta1: the fields of the private key move to one object.

func keyToPrivateKey(o *crosswalk.Object) error {
	o.Translate(keyAlgorithm, algorithms)
	o.Translate(keyEncoding, encodings)
	o.Move(keyAlgorithm, algorithm)
	o.Move(keyEncoding, encoding)
	o.Move(keySize, size)
	return nil
}

func keyFromPrivateKey(o *crosswalk.Object) error {
	o.Translate(algorithm, algorithms.Back())
	o.Translate(encoding, encodings.Back())
	moved := o.Move(algorithm, keyAlgorithm)
	moved = o.Move(encoding, keyEncoding) || moved
	moved = o.Move(size, keySize) || moved
	if moved {
		deleteEmpty(o, "spec", "privateKey")
	}
	return nil
}

// From v1beta1 to v1: shorter names, and one algorithm more.

func plainSANs(o *crosswalk.Object) error {
	o.Rename(crosswalk.Path{"spec", "emailSANs"}, "emailAddresses")
	o.Rename(crosswalk.Path{"spec", "uriSANs"}, "uris")
	return nil
}

func typedSANs(o *crosswalk.Object) error {
	o.Rename(crosswalk.Path{"spec", "emailAddresses"}, "emailSANs")
	o.Rename(crosswalk.Path{"spec", "uris"}, "uriSANs")
	// No older version has a word for Ed25519. It is kept until somebody chooses an algorithm
	// there.
	if name, ok, err := o.String(algorithm...); err != nil || !ok || name != "Ed25519" {
		return err
	}
	o.StashFor(algorithm, algorithm, keyAlgorithm)
	return nil
}

// deleteEmpty deletes the object at path if nothing is left in it.
func deleteEmpty(o *crosswalk.Object, path ...string) {
	for range o.Members(path...) {
		return
	}
	o.Remove(path...)
}
