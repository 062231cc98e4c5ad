package crosswalk

// Description describes a module. `crosswalk inspect` and the gateway's list of modules show it.
type Description struct {
	Name    string // of the module: "crontab"
	Version string // of the module: "1.2.0"
	Source  string // URL of the source
	Licence string // an SPDX expression: "Apache-2.0"
}

// version is the version of this SDK.
const version = "1.0.0"

// description is the result of crosswalk_describe, built while the module initializes.
var description = Description{}.json()

// Describe sets the description of this module. It is optional; call it in init.
func Describe(d Description) { description = d.json() }

func (d Description) json() []byte {
	out := []byte(`{"language":"go","sdk":"crosswalk-go/` + version + `"`)
	for _, field := range [...][2]string{{"name", d.Name}, {"version", d.Version}, {"source", d.Source}, {"licence", d.Licence}} {
		if field[1] != "" {
			out = append(out, ',')
			out = Quote(out, field[0])
			out = append(out, ':')
			out = Quote(out, field[1])
		}
	}
	return append(out, '}')
}
