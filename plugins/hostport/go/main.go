// Command hostport converts CronTab.example.com between v1beta1, which has hostPort, and v1, which
// has host and port. It is the example of Kubernetes' own conformance test for conversion webhooks.
package main

import (
	"strings"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
)

const (
	v1beta1 = "example.com/v1beta1"
	v1      = "example.com/v1"
)

func init() {
	crosswalk.Describe(crosswalk.Description{Name: "hostport", Version: "1.0.0", Licence: "Apache-2.0"})
	crosswalk.Register(v1beta1, v1, split)
	crosswalk.Register(v1, v1beta1, join)
}

func main() {}

func split(o *crosswalk.Object) error {
	hostPort, ok, err := o.String("hostPort")
	if err != nil {
		return err
	}
	if ok && hostPort != "" {
		host, port, ok := cut(hostPort)
		if !ok {
			return crosswalk.Errorf(`.hostPort must be "host:port" or "[IPv6 address]:port", but is %q`, hostPort)
		}
		if host != "" {
			o.SetString(crosswalk.Path{"host"}, host)
		}
		if port != "" {
			o.SetString(crosswalk.Path{"port"}, port)
		}
	}
	o.Remove("hostPort")
	return nil
}

// cut takes "host:port" apart. One of the two may be empty: join produces such a string for an
// object with only one of them.
func cut(hostPort string) (host, port string, ok bool) {
	if inner, bracket := strings.CutPrefix(hostPort, "["); bracket {
		if host, port, ok = strings.Cut(inner, "]:"); !strings.Contains(host, ":") {
			return "", "", false
		}
	} else if host, port, ok = strings.Cut(hostPort, ":"); hostPort == ":" {
		return "", "", false
	}
	return host, port, ok && !strings.ContainsAny(host, "[]") && !strings.ContainsAny(port, ":[]")
}

func join(o *crosswalk.Object) error {
	host, _, err := o.String("host")
	if err != nil {
		return err
	}
	port, _, err := o.String("port")
	if err != nil {
		return err
	}
	switch {
	case strings.ContainsAny(host, "[]"):
		return crosswalk.Errorf(`.host must be without brackets, but is %q`, host)
	case strings.ContainsAny(port, ":[]"):
		return crosswalk.Errorf(`.port must be without colons and brackets, but is %q`, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	if host != "" || port != "" {
		o.SetString(crosswalk.Path{"hostPort"}, host+":"+port)
	}
	o.Remove("host")
	o.Remove("port")
	return nil
}
