// Package serve is the server around a [host.Converter]: reviews over TLS on one port, health,
// metrics and the operators' pages over plain HTTP on another. It bounds bodies, answers, connections
// and reviews in progress, rejects excess load with an answer that an API server repeats, and drains
// before it ends. It knows modules and the content of reviews by host.Outcome and host.Routes only.
//
// One request goes through these files: handler.go (the steps, requests that cannot be a review, and the
// wait for a share), body.go (read the body), exchange.go (convert by a deadline and send the one answer;
// reviewcontext.go has the deadline, overrun.go acts if it is missed, and pace.go sends a large answer),
// report.go (count and log it). connection.go is a connection, which has its place by connections.go and
// evict.go. server.go joins the ports, and ends them.
//
// The API of this package is not promised before v1.0.0: a minor version may change it.
package serve
