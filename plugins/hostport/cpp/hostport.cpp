// Converts CronTab.example.com between v1beta1, which has hostPort, and v1, which has host and port. It is the example of Kubernetes'
// own conformance test for conversion webhooks.
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

using crosswalk::object;
using crosswalk::text;

static bool has(text s, const char *characters) { return s.find_first_of(characters) != text::npos; }

// Takes "host:port" apart and says whether it is that. One of the two may be empty: join produces
// such a string for an object with only one of them.
static bool cut(text s, text &host, text &port)
{
	bool bracket = s.starts_with("[");
	const char *separator = bracket ? "]:" : ":";
	text inner = s.substr(bracket);
	uint32_t at = inner.find(separator);
	if (at == text::npos)
		return false;
	host = inner.substr(0, at);
	port = inner.substr(at + text(separator).size());
	if (bracket ? !has(host, ":") : s.size() == 1)
		return false;
	return !has(host, "[]") && !has(port, ":[]");
}

static void split(object o)
{
	text s = o.string("hostPort").value_or(""), host, port;
	if (!s.empty()) {
		if (!cut(s, host, port))
			return o.refuse(".hostPort must be \"host:port\" or \"[IPv6 address]:port\", but is ", o.quoted(s));
		if (!host.empty())
			o.set("host", host);
		if (!port.empty())
			o.set("port", port);
	}
	o.remove("hostPort");
}

static void join(object o)
{
	text host = o.string("host").value_or(""), port = o.string("port").value_or("");
	if (has(host, "[]"))
		return o.refuse(".host must be without brackets, but is ", o.quoted(host));
	if (has(port, ":[]"))
		return o.refuse(".port must be without colons and brackets, but is ", o.quoted(port));
	if (has(host, ":"))
		o.set("hostPort", o.concat("[", host, "]:", port));
	else if (!host.empty() || !port.empty())
		o.set("hostPort", o.concat(host, ":", port));
	o.remove("host");
	o.remove("port");
}

static const crosswalk::conversion conversions[] = {
	{"example.com/v1beta1", "example.com/v1", crosswalk::convert<split>},
	{"example.com/v1", "example.com/v1beta1", crosswalk::convert<join>},
};
CW_MODULE(conversions, "hostport", "1.0.0", "Apache-2.0")
