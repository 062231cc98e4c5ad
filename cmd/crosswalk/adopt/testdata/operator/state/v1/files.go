package v1

import (
	"os"

	"example.com/operator/api/shared"
	"example.com/operator/conversion"
	v2 "example.com/operator/state/v2"
)

func file() string {
	text, err := os.ReadFile("/etc/operator")
	if os.IsNotExist(err) {
		return ""
	}
	return string(text)
}

type Files struct {
	shared.TypeMeta
	Spec struct{ A string }
}

func (s *Files) ConvertTo(hub conversion.Hub) error {
	hub.(*v2.Files).Spec.A = s.Spec.A + file()
	return nil
}

func (s *Files) ConvertFrom(hub conversion.Hub) error {
	s.Spec.A = hub.(*v2.Files).Spec.A
	return nil
}
