package native

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Examples does the conversions of the example converters in plugins.
func Examples(object *unstructured.Unstructured, apiVersion string) error {
	switch group, _, _ := strings.Cut(apiVersion, "/"); group {
	case "stable.example.com":
		return CronTab(object, apiVersion)
	case "example.com":
		return HostPort(object, apiVersion)
	default:
		return fmt.Errorf("unknown group %q", group)
	}
}

// HostPort converts CronTab.example.com like the example converters in plugins/hostport: v1beta1
// has hostPort, v1 has host and port.
func HostPort(object *unstructured.Unstructured, apiVersion string) error {
	switch apiVersion {
	case "example.com/v1":
		if hostPort, _ := object.Object["hostPort"].(string); hostPort != "" {
			at := strings.LastIndex(hostPort, ":")
			if at < 0 {
				return fmt.Errorf(`.hostPort must be "host:port" or "[IPv6 address]:port", but is %q`, hostPort)
			}
			object.Object["host"], object.Object["port"] = strings.Trim(hostPort[:at], "[]"), hostPort[at+1:]
		}
		delete(object.Object, "hostPort")
	case "example.com/v1beta1":
		host, _ := object.Object["host"].(string)
		port, _ := object.Object["port"].(string)
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if host != "" || port != "" {
			object.Object["hostPort"] = host + ":" + port
		}
		delete(object.Object, "host")
		delete(object.Object, "port")
	default:
		return fmt.Errorf("unknown version %q", apiVersion)
	}
	return nil
}
