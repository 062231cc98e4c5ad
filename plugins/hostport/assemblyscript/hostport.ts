// Converts CronTab.example.com between v1beta1, which has hostPort, and v1, which has host and port. It is the example of
// Kubernetes' own conformance test for conversion webhooks.
import { describe, register, Resource, Text } from "../../../sdk/assemblyscript/assembly";
export * from "../../../sdk/assemblyscript/assembly/abi";

describe("hostport", "1.0.0", "Apache-2.0");
register("example.com/v1beta1", "example.com/v1", split);
register("example.com/v1", "example.com/v1beta1", join);

function split(o: Resource): void {
  const text = o.text("hostPort");
  if (text.length > 0) {
    // One of the two may be empty: join produces such a string for an object with only one of them.
    const bracket = text.startsWith("[");
    const end = text.indexOf(bracket ? "]:" : ":"), host = text.slice(bracket ? 1 : 0, end), port = text.slice(end + (bracket ? 2 : 1));
    if (end < 0 || bracket != host.includes(":") || text.equals(":") || hasAny(host, "[]") || hasAny(port, ":[]")) {
      return o.refuse(`.hostPort must be "host:port" or "[IPv6 address]:port", but is ${text.quoted}`);
    }
    if (host.length > 0) o.setText("host", host);
    if (port.length > 0) o.setText("port", port);
  }
  o.remove("hostPort");
}

function join(o: Resource): void {
  const host = o.text("host"), port = o.text("port");
  if (hasAny(host, "[]")) return o.refuse(`.host must be without brackets, but is ${host.quoted}`);
  if (hasAny(port, ":[]")) return o.refuse(`.port must be without colons and brackets, but is ${port.quoted}`);
  if (host.length > 0 || port.length > 0) {
    o.setString("hostPort", host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
  }
  o.remove("host");
  o.remove("port");
}

function hasAny(text: Text, characters: string): bool {
  for (let i = 0; i < text.length; i++) {
    if (characters.includes(String.fromCharCode(text.byteAt(i)))) return true;
  }
  return false;
}
