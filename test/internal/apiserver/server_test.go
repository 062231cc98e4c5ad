package apiserver

import "testing"

func TestStart(t *testing.T) {
	s, err := Start(Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
}
