package crosswalk

// Description says what a module is. Operators see it with `crosswalk inspect` and in the gateway's list of modules.
type Description struct {
	Name    string // what people call the module: "crontab"
	Version string // of the module: "1.2.0"
	Source  string // where its source is: a URL
	Licence string // an SPDX expression: "Apache-2.0"
}

// version is the version of this SDK.
const version = "1.0.0"

// description is what crosswalk_describe answers; it is made while the module initialises.
var description = Description{}.json()

// Describe says what this module is. It is optional, and meant to be called in init.
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
