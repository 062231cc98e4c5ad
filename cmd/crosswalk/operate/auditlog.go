package operate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crosswalk-gateway/crosswalk/internal/attach"
)

// maxEvent bounds a line of an audit log: events at the level RequestResponse have two objects.
const maxEvent = 16 << 20

// event is the part of an audit event that names the client of a request.
type event struct {
	Kind string `json:"kind"`
	Verb string `json:"verb"`
	User struct {
		Name string `json:"username"`
	} `json:"user"`
	Agent  string `json:"userAgent"`
	Object struct {
		Group    string `json:"apiGroup"`
		Version  string `json:"apiVersion"`
		Resource string `json:"resource"`
	} `json:"objectRef"`
	Received time.Time `json:"requestReceivedTimestamp"`
}

// ownAgent is the user agent of this tool, which reads objects at versions that leave.
const ownAgent = "crosswalk"

// auditedClients reads the clients that sent requests for a resource at a version from an audit log
// of an API server, the last one first.
func auditedClients(file string, resource schema.GroupVersionResource) ([]attach.Client, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := map[string]*attach.Client{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxEvent)
	for n := 1; lines.Scan(); n++ {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Kind != "Event" {
			return nil, fmt.Errorf("%s:%d: not an audit event in JSON, one a line", file, n)
		}
		if e.Object.Group != resource.Group || e.Object.Version != resource.Version || e.Object.Resource != resource.Resource || e.Agent == ownAgent {
			continue
		}
		key := e.User.Name + "\x00" + e.Agent
		c := found[key]
		if c == nil {
			c = &attach.Client{User: e.User.Name, Agent: e.Agent}
			found[key] = c
		}
		if !slices.Contains(c.Verbs, e.Verb) {
			c.Verbs = append(c.Verbs, e.Verb)
			slices.Sort(c.Verbs)
		}
		if e.Received.After(c.Last) {
			c.Last = e.Received
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var clients []attach.Client
	for _, c := range found {
		clients = append(clients, *c)
	}
	slices.SortFunc(clients, func(a, b attach.Client) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.User+a.Agent, b.User+b.Agent))
	})
	return clients, nil
}
