package kubebuilder

import "testing"

type warmHub struct {
	Spec map[string]string `json:"spec"`
}

type warmSpoke struct {
	Spec map[string]string `json:"spec"`
}

// TestRegisterWarmsConversions has each conversion called once at registration, with something in
// every field. A conversion that panics then is registered all the same.
func TestRegisterWarmsConversions(t *testing.T) {
	up, down := 0, 0
	Register(Kind{
		Hub: HubType[warmHub]("warm.example.com/v2"),
		Spokes: []Version{SpokeFunc("warm.example.com/v1",
			func(spoke *warmSpoke, hub *warmHub) error { up += len(spoke.Spec); return nil },
			func(hub *warmHub, spoke *warmSpoke) error { down++; panic("not such an object") })},
	})
	if up != 1 || down != 1 {
		t.Errorf("the conversions were called %d and %d times", up, down)
	}
}
