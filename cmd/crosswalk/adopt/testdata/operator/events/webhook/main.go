// Command webhook names the hub as a main does that starts knative's webhook.
package main

import (
	"fmt"

	eventsv1 "example.com/operator/events/v1"
	eventsv2 "example.com/operator/events/v2"
	eventsv3 "example.com/operator/events/v3"
)

type GroupKindConversion struct {
	DefinitionName string
	HubVersion     string
	Zygotes        map[string]eventsv3.Convertible
}

func main() {
	v1, v2, v3 := "v1", "v2", "v3"
	fmt.Println(map[string]GroupKindConversion{
		"Event.events.example.com": {
			DefinitionName: "events.events.example.com",
			HubVersion:     v1,
			Zygotes: map[string]eventsv3.Convertible{
				v1: &eventsv1.Event{},
				v2: &eventsv2.Event{},
				v3: &eventsv3.Event{},
			},
		},
	})
}
