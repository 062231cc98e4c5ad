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

// ownAgents are the user agents of this tool and of the controller, which read objects at versions that
// leave.
var ownAgents = []string{"crosswalk", "crosswalk-controller"}

// readAudit reads the clients that sent requests for a resource at a version from an audit log of an
// API server.
func readAudit(file string, resource schema.GroupVersionResource) (attach.Audit, error) {
	a := attach.Audit{File: file}
	f, err := os.Open(file)
	if err != nil {
		return a, err
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
			return a, fmt.Errorf("%s:%d: not an audit event in JSON, one a line", file, n)
		}
		if !e.Received.IsZero() && (a.First.IsZero() || e.Received.Before(a.First)) {
			a.First = e.Received
		}
		if e.Received.After(a.Last) {
			a.Last = e.Received
		}
		if e.Object.Group != resource.Group || e.Object.Resource != resource.Resource || slices.Contains(ownAgents, e.Agent) {
			continue
		}
		a.Requests++
		if e.Object.Version != resource.Version {
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
		return a, fmt.Errorf("%s: %w", file, err)
	}
	for _, c := range found {
		a.Clients = append(a.Clients, *c)
	}
	slices.SortFunc(a.Clients, func(x, y attach.Client) int {
		return cmp.Or(y.Last.Compare(x.Last), strings.Compare(x.User+x.Agent, y.User+y.Agent))
	})
	return a, nil
}
