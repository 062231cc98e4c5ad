// Converts CronTab.example.com between v1beta1, which has hostPort, and v1, which has host and port. It is the example of
// Kubernetes' own conformance test for conversion webhooks.
import { describe, register } from "crosswalk-javascript";

describe({ name: "hostport", version: "1.0.0", licence: "Apache-2.0" });
register("example.com/v1beta1", "example.com/v1", split);
register("example.com/v1", "example.com/v1beta1", join);

function split(o) {
  const text = o.string("hostPort");
  if (text) {
    // One of the two may be empty: join produces such a string for an object with only one of them.
    const match = /^(?:([^:[\]]*)|\[([^[\]]*:[^[\]]*)\]):([^:[\]]*)$/.exec(text), host = match?.[1] ?? match?.[2], port = match?.[3];
    if (!match || text === ":") o.refuse(`.hostPort must be "host:port" or "[IPv6 address]:port", but is ${JSON.stringify(text)}`);
    if (host) o.set("host", host);
    if (port) o.set("port", port);
  }
  o.remove("hostPort");
}

function join(o) {
  const host = o.string("host") ?? "", port = o.string("port") ?? "";
  if (/[[\]]/.test(host)) o.refuse(`.host must be without brackets, but is ${JSON.stringify(host)}`);
  if (/[:[\]]/.test(port)) o.refuse(`.port must be without colons and brackets, but is ${JSON.stringify(port)}`);
  if (host || port) o.set("hostPort", host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
  o.remove("host");
  o.remove("port");
}
