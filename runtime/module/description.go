package module

import "github.com/crosswalk-gateway/crosswalk/internal/foreign"

// Description is a module's description of itself (crosswalk_describe). The gateway does not verify
// it.
type Description struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Language string `json:"language,omitempty"`
	SDK      string `json:"sdk,omitempty"`
	Source   string `json:"source,omitempty"`
	Licence  string `json:"licence,omitempty"`
}

// tidy cleans and bounds a module's description of itself.
func (d *Description) tidy() {
	for _, s := range []*string{&d.Name, &d.Version, &d.Language, &d.SDK, &d.Source, &d.Licence} {
		if *s != "" {
			*s = foreign.Clean(*s, 200)
		}
	}
}
