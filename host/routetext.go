package host

import (
	"fmt"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/internal/foreign"
)

// Route is one conversion that the loaded modules provide.
type Route struct {
	Group, Kind, From, To string
	Via                   []string // the versions between From and To
	Modules               []string // file names, one for each step
}

// Table returns every route, by kind, group, and the priority of From and To.
func (r *Routes) Table() []Route {
	if r == nil {
		return nil
	}
	var table []Route
	for _, key := range r.order {
		k := r.kinds[key]
		for _, from := range k.versions {
			for _, to := range k.versions {
				p := k.chainBetween(from, to)
				if p == nil {
					continue
				}
				row := Route{Group: key.group, Kind: key.kind, From: from, To: to}
				for i, e := range p.edges {
					if i > 0 {
						row.Via = append(row.Via, e.From)
					}
					row.Modules = append(row.Modules, e.Module.Name())
				}
				table = append(table, row)
			}
		}
	}
	return table
}

// mostLoaded is how many conversions a message lists: as many as a terminal shows at a glance.
const mostLoaded = 16

// Missing explains to the client why there is no path: "no module converts …", the available
// conversions, and the module of the kind that is being loaded.
func (r *Routes) Missing(group, kind, from, to string, loading Loading) string {
	msg := fmt.Sprintf("no module converts %s.%s from %s to %s", shown(kind), shown(group), shown(from), shown(to))
	k := r.find(group, kind)
	if loading.File != "" {
		if k != nil {
			msg += "; loaded: " + k.loaded()
		}
		return msg + fmt.Sprintf("; module %s has been loading since %s UTC", loading.File, loading.Since.UTC().Format(time.TimeOnly))
	}
	if failed := r.failedFor(group, kind); failed != "" {
		return msg + ": " + failed
	}
	if k == nil {
		msg += ": no module is loaded for this kind"
		if like := r.spelledLike(group, kind); like != "" {
			return msg + "; one is loaded for " + like + ", and kinds in file names are case-sensitive"
		}
		if name := fmt.Sprintf("%s.%s_%s_%s.wasm", kind, group, from, to); name == shown(name) {
			msg += " (its file would be named like " + name + ")"
		}
		return msg
	}
	msg += "; loaded: " + k.loaded()
	if k.chainBetween(to, from) != nil {
		return msg + fmt.Sprintf("; that leads from %s to %s but not back", to, from)
	}
	for _, v := range []string{from, to} {
		if k.version(v) == "" {
			return msg + "; none supports version " + shown(v)
		}
	}
	return msg
}

// failedFor names the module of a kind whose file failed to load, and the reason; "" if there is no
// such module.
func (r *Routes) failedFor(group, kind string) string {
	if r == nil {
		return ""
	}
	for _, f := range r.failed {
		if f.Group == group && f.Kind == kind {
			const enough = 500 // bytes of a reason, whose beginning is the most specific
			return fmt.Sprintf("module %s exists but is not loaded: %s", f.File, foreign.Shorten(f.Reason, enough))
		}
	}
	return ""
}

// spelledLike returns a kind that differs from the one given only by case, or "".
func (r *Routes) spelledLike(group, kind string) string {
	if r == nil {
		return ""
	}
	for _, key := range r.order {
		if key.group == group && strings.EqualFold(key.kind, kind) {
			return key.kind + "." + key.group
		}
	}
	return ""
}

// loaded lists the edges of a kind with their modules: "v1⇄v2
// (CronTab.stable.example.com_v1_v2.wasm)", and v1→v2 where no module converts back.
func (k *kindRoutes) loaded() string {
	module := make(map[[2]string]Module, len(k.edges))
	for _, e := range k.edges {
		module[[2]string{e.From, e.To}] = e.Module
	}
	var list []string
	for _, e := range k.edges {
		back, both := module[[2]string{e.To, e.From}]
		switch {
		case both && CompareVersions(e.From, e.To) < 0:
			continue // listed with the other direction, from the older version
		case both && back.Name() == e.Module.Name():
			list = append(list, fmt.Sprintf("%s⇄%s (%s)", e.From, e.To, e.Module.Name()))
		case both:
			list = append(list, fmt.Sprintf("%s⇄%s (%s, %s)", e.From, e.To, e.Module.Name(), back.Name()))
		default:
			list = append(list, fmt.Sprintf("%s→%s (%s)", e.From, e.To, e.Module.Name()))
		}
	}
	if n := len(list) - mostLoaded; n > 0 {
		list = append(list[:mostLoaded], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, ", ")
}
