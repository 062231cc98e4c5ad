package operate

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crosswalk-gateway/crosswalk/cmd/crosswalk/attach"
)

// maxEvent bounds a line of an audit log: events at the level RequestResponse have two objects.
const maxEvent = 16 << 20

// Clients choose their user agents, and can have service accounts of any number and name. Those beyond
// a bound are counted as one, so that the memory for a log is bounded, and one user's agents do not
// hide another user.
const (
	maxClients = 10_000 // in all
	maxAgents  = 20     // of one user
	maxVerbs   = 16     // of one client; Kubernetes has ten
	maxText    = 256    // bytes of a user's or agent's name: Kubernetes' own have less than 200

	otherUsers  = "other users"
	otherAgents = "other user agents"
)

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
// API server, until ctx ends.
func readAudit(ctx context.Context, file string, resource schema.GroupVersionResource) (attach.Audit, error) {
	a := attach.Audit{File: file}
	f, err := os.Open(file)
	if err != nil {
		return a, err
	}
	defer f.Close()
	found := clients{byName: map[[2]string]*attach.Client{}, agents: map[string]int{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxEvent)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return a, err
		}
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
		found.add(e)
	}
	if err := lines.Err(); err != nil {
		return a, fmt.Errorf("%s: %w", file, err)
	}
	for _, c := range found.byName {
		a.Clients = append(a.Clients, *c)
	}
	slices.SortFunc(a.Clients, func(x, y attach.Client) int {
		return cmp.Or(y.Last.Compare(x.Last), strings.Compare(x.User+x.Agent, y.User+y.Agent))
	})
	return a, nil
}

// clients are the clients of a log, by user and agent.
type clients struct {
	byName map[[2]string]*attach.Client
	agents map[string]int // of each user
}

// add adds the request of an event.
func (l *clients) add(e event) {
	user, agent := short(e.User.Name), short(e.Agent)
	c := l.byName[[2]string{user, agent}]
	if c == nil {
		switch {
		case len(l.byName) >= maxClients:
			user, agent = otherUsers, otherAgents
		case l.agents[user] >= maxAgents:
			agent = otherAgents
		}
		if c = l.byName[[2]string{user, agent}]; c == nil {
			c = &attach.Client{User: user, Agent: agent}
			l.byName[[2]string{user, agent}] = c
			l.agents[user]++
		}
	}
	if verb := short(e.Verb); !slices.Contains(c.Verbs, verb) && len(c.Verbs) < maxVerbs {
		c.Verbs = append(c.Verbs, verb)
		slices.Sort(c.Verbs)
	}
	if e.Received.After(c.Last) {
		c.Last = e.Received
	}
}

// short returns the beginning of a text, which keeps no memory of the rest.
func short(text string) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return strings.Clone(text)
}
