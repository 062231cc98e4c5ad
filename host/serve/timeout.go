package serve

import (
	"net/url"
	"strings"
	"time"
)

// timeouts returns how long a review may take from its arrival, and how long after that a late
// converter's review is answered with a failure. The client's own timeout comes with the request
// (the API server sends timeout=30s); three seconds of it are kept for the network, or half of a
// timeout shorter than six seconds. Without a usable timeout, the limit is most.
func timeouts(query string, most time.Duration) (review, grace time.Duration) {
	const way = 3 * time.Second
	client, ok := clientTimeout(query)
	if !ok {
		return most, overdueGrace
	}
	review = min(most, max(client-way, client/2))
	return review, min(overdueGrace, (client-review)/2)
}

// clientTimeout returns the timeout that came with a request, if it is usable.
func clientTimeout(query string) (time.Duration, bool) {
	value, plain := strings.CutPrefix(query, "timeout=")
	if !plain || strings.ContainsAny(value, "&;%+") {
		values, _ := url.ParseQuery(query) // returns the valid part on an error
		value = values.Get("timeout")
	}
	client, err := time.ParseDuration(value)
	return client, err == nil && client > 0
}

// repeatFits reports whether a client that repeats a review after Retry-After has as much time left
// for it as this attempt took. An API server's timeout covers all its attempts together. A client
// without a timeout may not repeat at all, and gets the reason of the failure instead.
func repeatFits(query string, took time.Duration) bool {
	client, ok := clientTimeout(query)
	return ok && client-took >= retryPause+took
}
