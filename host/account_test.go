package host

import (
	"strings"
	"testing"
)

// TestAccount: a review counts for the kind that its objects are converted as, whatever else the
// body says.
func TestAccount(t *testing.T) {
	c := newConverter(ConverterConfig{Modules: Static(NewRoutes([]Edge{
		{Group: "stable.example.com", Kind: "CronTab", From: "v1", To: "v2", Module: answers("{}")},
		{Group: "stable.example.com", Kind: "Victim", From: "v1", To: "v2", Module: answers("{}")},
	}))})
	const known = "CronTab.stable.example.com"
	review := func(request string) string {
		return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{` + request + `}}`
	}
	object := `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`
	for _, test := range []struct{ name, body, want string }{
		{"as API servers write it", review(`"uid":"1","desiredAPIVersion":"stable.example.com/v2","objects":[` + object + `]`), known},
		{"cut off after the kind", review(`"uid":"1","objects":[` + object)[:175], known},
		{"members before the request", `{"spec":{"request":{"objects":[{"kind":"Victim","apiVersion":"stable.example.com/v1"}]}},` + review(`"objects":[` + object + `]`)[1:], known},
		{"a field before the kind that looks like one", review(`"objects":[{"a":{"kind":"Victim","apiVersion":"stable.example.com/v1"},` + object[1:] + `]`), known},
		{"escaped", review(`"objects":[` + strings.ReplaceAll(object, "CronTab", `\u0043ronTab`) + `]`), known},
		{"the second object", review(`"objects":[` + object + `,{"apiVersion":"stable.example.com/v1","kind":"Victim"}]`), known},
		{"an unknown kind", review(`"objects":[{"apiVersion":"stable.example.com/v1","kind":"Other"}]`), ""},
		{"an unknown group", review(`"objects":[{"apiVersion":"example.com/v1","kind":"CronTab"}]`), ""},
		{"no group", review(`"objects":[{"apiVersion":"v1","kind":"CronTab"}]`), ""},
		{"the kind comes late", review(`"objects":[{"a":"` + strings.Repeat("x", accountBytes) + `",` + object[1:] + `]`), ""},
		{"no objects", review(`"objects":[]`), ""},
		{"no object", review(`"objects":["CronTab"]`), ""},
		{"no list", review(`"objects":{"kind":"CronTab"}`), ""},
		{"no request", `{"kind":"ConversionReview"}`, ""},
		{"a request that is no object", `{"request":[]}`, ""},
		{"a list", `[]`, ""},
		{"no JSON", `what?`, ""},
		{"nothing", "", ""},
	} {
		if got := c.Account([]byte(test.body)); got != test.want {
			t.Errorf("%s: account %q, want %q\n%.300s", test.name, got, test.want, test.body)
		}
	}
}

// TestAccountOfDeepObjects: an object may be as deep as the limit says, and the review around it does
// not count.
func TestAccountOfDeepObjects(t *testing.T) {
	c := newConverter(ConverterConfig{Limits: Limits{Depth: 2}, Modules: Static(NewRoutes([]Edge{
		{Group: "stable.example.com", Kind: "CronTab", From: "v1", To: "v2", Module: answers("{}")},
	}))})
	for deep, want := range map[string]string{`{}`: "CronTab.stable.example.com", `{"a":{}}`: ""} {
		body := reviewOf("v1", "stable.example.com/v2", `{"a":`+deep+`,"apiVersion":"stable.example.com/v1","kind":"CronTab"}`)
		if got := c.Account([]byte(body)); got != want {
			t.Errorf("with a field %s, the account is %q, want %q", deep, got, want)
		}
	}
}

// TestNamespace: a review counts for the namespace of its first object, whatever else the body says.
func TestNamespace(t *testing.T) {
	c := newConverter(ConverterConfig{Modules: Static(NewRoutes(nil))})
	review := func(objects string) string {
		return `{"kind":"ConversionReview","request":{"namespace":"x","uid":"1","objects":[` + objects + `]}}`
	}
	for _, test := range []struct{ name, body, want string }{
		{"as API servers write it", review(`{"apiVersion":"a/v1","kind":"A","metadata":{"annotations":{"namespace":"x"},"managedFields":[{"namespace":"x"}],"name":"a","namespace":"shop"}}`), "shop"},
		{"after large annotations", review(`{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 1<<20) + `"},"namespace":"shop"}}`), "shop"},
		{"later than it is looked for", review(`{"metadata":{"annotations":{"a":"` + strings.Repeat("x", namespaceBytes) + `"},"namespace":"shop"}}`), ""},
		{"the second object", review(`{"metadata":{"name":"a"}},{"metadata":{"namespace":"x"}}`), ""},
		{"elsewhere in the object", review(`{"namespace":"x","spec":{"metadata":{"namespace":"x"}},"metadata":{"name":"a"}}`), ""},
		{"a number", review(`{"metadata":{"namespace":1}}`), ""},
		{"metadata that is no object", review(`{"metadata":["namespace"]}`), ""},
		{"a longer name than Kubernetes knows", review(`{"metadata":{"namespace":"` + strings.Repeat("x", 1000) + `"}}`), strings.Repeat("x", maxWord)},
		{"no objects", review(``), ""},
		{"no JSON", `what?`, ""},
		{"nothing", "", ""},
	} {
		if got := c.Namespace([]byte(test.body)); got != test.want {
			t.Errorf("%s: namespace %q, want %q\n%.300s", test.name, got, test.want, test.body)
		}
	}
}
