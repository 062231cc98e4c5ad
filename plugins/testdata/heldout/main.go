// Command heldout converts Service.example.com between v1 and v2, which have the same schema. The linker
// gives it the name of one mistake of an author (-X main.mistake=…). The mistakes were written before
// crosswalk fuzz was tried on them, and fuzz is never changed for them: see
// cmd/crosswalk/heldoutgo_test.go.
package main

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder"
)

// service has pointers for all that may be absent, so that the types alone lose nothing.
type service struct {
	Metadata *metadata `json:"metadata,omitempty"`
	Spec     *spec     `json:"spec,omitempty"`
	Status   *status   `json:"status,omitempty"`
}

// metadata is the part that a conversion may change.
type metadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type spec struct {
	Replicas       *int64             `json:"replicas,omitempty"`
	Ratio          json.RawMessage    `json:"ratio,omitempty"`
	Paused         *bool              `json:"paused,omitempty"`
	Mode           *string            `json:"mode,omitempty"`
	Timeout        *string            `json:"timeout,omitempty"`
	Memory         *string            `json:"memory,omitempty"`
	Endpoint       *string            `json:"endpoint,omitempty"`
	StartTime      *string            `json:"startTime,omitempty"`
	MaxUnavailable json.RawMessage    `json:"maxUnavailable,omitempty"`
	Hosts          *[]string          `json:"hosts,omitempty"`
	Ports          *[]port            `json:"ports,omitempty"`
	Env            *[]env             `json:"env,omitempty"`
	Labels         *map[string]string `json:"labels,omitempty"`
	Selector       *selector          `json:"selector,omitempty"`
}

type port struct {
	Name     *string `json:"name,omitempty"`
	Port     *int64  `json:"port,omitempty"`
	Protocol *string `json:"protocol,omitempty"`
}

type env struct {
	Name  *string `json:"name,omitempty"`
	Value *string `json:"value,omitempty"`
}

type selector struct {
	Key      *string   `json:"key,omitempty"`
	Operator *string   `json:"operator,omitempty"`
	Values   *[]string `json:"values,omitempty"`
}

type status struct {
	Conditions *[]condition `json:"conditions,omitempty"`
}

type condition struct {
	Type   *string `json:"type,omitempty"`
	Status *string `json:"status,omitempty"`
}

// mistake is set by the linker.
var mistake string

func init() {
	kubebuilder.RegisterFunc("example.com/v1", "example.com/v2", func(in, out *service) error {
		*out = *in
		if made := mistakes[mistake]; made != nil && out.Spec != nil {
			made(out, out.Spec)
		}
		return nil
	})
	kubebuilder.RegisterFunc("example.com/v2", "example.com/v1", func(in, out *service) error {
		*out = *in
		return nil
	})
}

func main() {}

func is[T comparable](p *T, v T) bool { return p != nil && *p == v }

var mistakes = map[string]func(o *service, s *spec){
	"32 bits": func(_ *service, s *spec) { // int32(*s.Replicas)
		if s.Replicas != nil {
			n := int64(int32(*s.Replicas))
			s.Replicas = &n
		}
	},
	"zero is unset": func(_ *service, s *spec) {
		if is(s.Replicas, 0) {
			s.Replicas = nil
		}
	},
	"an empty mode is the default": func(_ *service, s *spec) {
		if is(s.Mode, "") {
			s.Mode = nil
		}
	},
	"a canonical duration": func(_ *service, s *spec) { // 60s becomes 1m0s
		if s.Timeout != nil {
			if d, err := time.ParseDuration(*s.Timeout); err == nil {
				text := d.String()
				s.Timeout = &text
			}
		}
	},
	"a canonical quantity": func(_ *service, s *spec) {
		if is(s.Memory, "1024Mi") {
			text := "1Gi"
			s.Memory = &text
		}
	},
	"a time in UTC": func(_ *service, s *spec) {
		if s.StartTime != nil {
			if at, err := time.Parse(time.RFC3339, *s.StartTime); err == nil {
				text := at.UTC().Format(time.RFC3339)
				s.StartTime = &text
			}
		}
	},
	"a slash at the end": func(_ *service, s *spec) {
		if s.Endpoint != nil {
			text := strings.TrimRight(*s.Endpoint, "/")
			s.Endpoint = &text
		}
	},
	"a percentage is a number": func(_ *service, s *spec) { // strconv of "50%"
		if text := string(s.MaxUnavailable); strings.HasSuffix(text, `%"`) {
			s.MaxUnavailable = json.RawMessage("0")
		}
	},
	"three digits of a fraction": func(_ *service, s *spec) {
		if n, err := strconv.ParseFloat(string(s.Ratio), 64); err == nil && n != math.Trunc(n) {
			s.Ratio = json.RawMessage(strconv.FormatFloat(math.Round(n*1000)/1000, 'g', -1, 64))
		}
	},
	"hosts after an empty one": func(_ *service, s *spec) {
		if s.Hosts != nil {
			if i := slices.Index(*s.Hosts, ""); i >= 0 {
				hosts := (*s.Hosts)[:i+1]
				s.Hosts = &hosts
			}
		}
	},
	"ports of one protocol first": func(_ *service, s *spec) {
		if s.Ports != nil {
			slices.SortStableFunc(*s.Ports, func(a, b port) int {
				udp := func(p port) int {
					if is(p.Protocol, "UDP") {
						return 1
					}
					return 0
				}
				return udp(a) - udp(b)
			})
		}
	},
	"one port for a number": func(_ *service, s *spec) {
		if s.Ports != nil {
			seen := map[int64]bool{}
			ports := slices.DeleteFunc(*s.Ports, func(p port) bool {
				twice := p.Port != nil && seen[*p.Port]
				if p.Port != nil {
					seen[*p.Port] = true
				}
				return twice
			})
			s.Ports = &ports
		}
	},
	"a variable without a value": func(_ *service, s *spec) {
		if s.Env != nil {
			for i := range *s.Env {
				if (*s.Env)[i].Value == nil {
					empty := ""
					(*s.Env)[i].Value = &empty
				}
			}
		}
	},
	"values of the operator Exists": func(_ *service, s *spec) {
		if s.Selector != nil && is(s.Selector.Operator, "Exists") {
			s.Selector.Values = nil
		}
	},
	"a label of another tool": func(_ *service, s *spec) {
		if s.Labels != nil {
			delete(*s.Labels, "app.kubernetes.io/managed-by")
		}
	},
	"labels with empty values": func(_ *service, s *spec) {
		if s.Labels != nil {
			maps.DeleteFunc(*s.Labels, func(_, v string) bool { return v == "" })
		}
	},
	"paused has one replica": func(_ *service, s *spec) {
		if is(s.Paused, true) && s.Replicas != nil && *s.Replicas > 1 {
			one := int64(1)
			s.Replicas = &one
		}
	},
	"one condition of a type": func(o *service, _ *spec) {
		if o.Status != nil && o.Status.Conditions != nil {
			last := map[string]condition{}
			var kept []condition
			for _, c := range *o.Status.Conditions {
				if c.Type != nil {
					if _, twice := last[*c.Type]; twice {
						continue
					}
					last[*c.Type] = c
				}
				kept = append(kept, c)
			}
			if len(kept) < len(*o.Status.Conditions) {
				o.Status.Conditions = &kept
			}
		}
	},
}
