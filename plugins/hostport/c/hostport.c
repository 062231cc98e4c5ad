/* Converts CronTab.example.com between v1beta1, which has hostPort, and v1, which has host and port. It is the example of
 * Kubernetes' own conformance test for conversion webhooks. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"

/* Returns the first position of one of the characters in text, or its length. */
static uint32_t find_any(cw_str text, const char *characters)
{
	for (uint32_t i = 0; i < text.len; i++)
		for (const char *c = characters; *c; c++)
			if (text.at[i] == *c)
				return i;
	return text.len;
}

static int has_any(cw_str text, const char *characters)
{
	return find_any(text, characters) < text.len;
}

/* Takes "host:port" apart and returns 1 if it is that. One of the two may be empty: join produces
 * such a string for an object with only one of them. */
static int cut(cw_str text, cw_str *host, cw_str *port)
{
	int bracket = text.len > 0 && text.at[0] == '[';
	if (bracket)
		text.at++, text.len--;
	host->at = text.at;
	host->len = find_any(text, bracket ? "]" : ":");
	uint32_t colon = host->len + (uint32_t)bracket;
	if (colon >= text.len || text.at[colon] != ':')
		return 0;
	port->at = text.at + colon + 1;
	port->len = text.len - colon - 1;
	if (bracket ? !has_any(*host, ":") : text.len == 1)
		return 0;
	return !has_any(*host, "[]") && !has_any(*port, ":[]");
}

static int split(cw_object *o)
{
	cw_str text, host, port;
	int found = cw_string(o, "hostPort", &text);
	if (found < 0)
		return -1;
	if (found && text.len > 0) {
		if (!cut(text, &host, &port)) {
			cw_str quoted = cw_quoted(o, text);
			return cw_refuse(o, ".hostPort must be \"host:port\" or \"[IPv6 address]:port\", but is %.*s", CW_ARG(quoted));
		}
		if (host.len > 0)
			cw_set_str(o, "host", host);
		if (port.len > 0)
			cw_set_str(o, "port", port);
	}
	cw_remove(o, "hostPort");
	return 0;
}

static int join(cw_object *o)
{
	cw_str host = {"", 0}, port = {"", 0};
	if (cw_string(o, "host", &host) < 0 || cw_string(o, "port", &port) < 0)
		return -1;
	if (has_any(host, "[]")) {
		cw_str quoted = cw_quoted(o, host);
		return cw_refuse(o, ".host must be without brackets, but is %.*s", CW_ARG(quoted));
	}
	if (has_any(port, ":[]")) {
		cw_str quoted = cw_quoted(o, port);
		return cw_refuse(o, ".port must be without colons and brackets, but is %.*s", CW_ARG(quoted));
	}
	if (host.len > 0 || port.len > 0) {
		const char *format = has_any(host, ":") ? "[%.*s]:%.*s" : "%.*s:%.*s";
		cw_set_str(o, "hostPort", cw_format(o, format, CW_ARG(host), CW_ARG(port)));
	}
	cw_remove(o, "host");
	cw_remove(o, "port");
	return 0;
}

static const cw_conversion conversions[] = {
	{"example.com/v1beta1", "example.com/v1", split},
	{"example.com/v1", "example.com/v1beta1", join},
};
CW_MODULE(conversions, "hostport", "1.0.0", "Apache-2.0")
