// Package hooks is of another author. Packages register in it.
package hooks

var names = map[string]string{}

func Register(name, value string) { names[name] = value }

func Lookup(name string) string { return names[name] }

type Command struct{ Run func() }

var (
	starting []func()
	commands []*Command
)

func OnStart(f func()) { starting = append(starting, f) }

func Add(c *Command) { commands = append(commands, c) }

func Start() {
	for _, f := range starting {
		f()
	}
	for _, c := range commands {
		c.Run()
	}
}
