// Does what the object says: it runs the list of edits in .program, [name, path, argument...], on the object. The same module in
// every language lets a test compare the SDKs.
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

using crosswalk::raw;
using crosswalk::object;
using crosswalk::path;
using crosswalk::text;
using crosswalk::type;
using crosswalk::value;

static const char *string(value v) { return v.concat(v.string().value_or("")).data(); }

// The path in an array of up to five keys, as a test has them.
static path keys(value list)
{
	const char *k[5] = {};
	int n = 0;
	for (value key : list.elements())
		if (n < 5)
			k[n++] = string(key);
	switch (n) {
	case 1: return {k[0]};
	case 2: return {k[0], k[1]};
	case 3: return {k[0], k[1], k[2]};
	case 4: return {k[0], k[1], k[2], k[3]};
	case 5: return {k[0], k[1], k[2], k[3], k[4]};
	default: return {};
	}
}

// Says whether something on the way is no object.
static bool is_wrong(object o, const path &p)
{
	value v = o;
	for (uint32_t i = 0; i + 1 < p.size(); i++) {
		v = v.get(p[i]);
		if (v && v.type() != type::object)
			return true;
	}
	return false;
}

static void note(object o, text s, bool ok, bool wrong)
{
	o.append("out", o.concat(s, ok ? " true" : " false", wrong ? " true" : " false"));
}

static void read(object o, text name, const path &p)
{
	value v = o.get(p);
	bool wrong = is_wrong(o, p);
	if (name == "read") {
		if (auto raw = o.raw(p); raw && !wrong)
			o.append("out", *raw);
	} else if (name == "string") {
		bool ok = v.type() == type::string;
		note(o, ok ? *v.string() : "", ok, wrong || (v && !ok));
	} else if (name == "number") {
		text raw = v.raw().value_or("");
		bool ok = v.type() == type::number && raw.find_first_of(".eE") == text::npos;
		note(o, ok ? o.concat(*v.integer()) : "0", ok, wrong || (v && !ok));
	} else if (name == "keys" && v.type() == type::object) {
		for (value m : v.members())
			o.append("out", o.concat(m.key(), " ", m.location()));
	}
}

static void edit(object o, text name, const path &p, text argument, const path &to)
{
	if (name == "set") {
		o.set(p, argument);
	} else if (name == "int") {
		long long i = 0;
		bool negative = argument.starts_with("-");
		for (char c : argument.substr(negative))
			i = (long long)((unsigned long long)i * 10 + (unsigned long long)(c - '0'));
		o.set(p, negative ? (long long)(0 - (unsigned long long)i) : i);
	} else if (name == "bool") {
		o.set(p, argument == "true");
	} else if (name == "raw") {
		o.set(p, raw{argument});
	} else if (name == "append") {
		o.append(p, argument);
	} else if (name == "appendraw") {
		o.append(p, raw{argument});
	} else if (name == "delete") {
		o.remove(p);
	} else if (name == "rename") {
		o.rename(p, o.concat(argument).data());
	} else if (name == "move") {
		o.move(p, to);
	} else if (name == "elements" && o.get(p).type() == type::array && !is_wrong(o, p)) {
		int i = 0;
		for (value e : o.elements(p)) {
			if (i++ % 2 == 1)
				e.remove();
			else
				e.set({}, argument);
		}
	}
}

static void run(object o)
{
	for (value line : o.elements("program")) {
		text name, argument;
		path p, to;
		int i = 0;
		for (value part : line.elements()) {
			if (i == 0)
				name = part.string().value_or("");
			else if (i == 1)
				p = keys(part);
			else if (part.type() == type::array)
				to = keys(part);
			else
				argument = part.string().value_or("");
			i++;
		}
		edit(o, name, p, argument, to);
		read(o, name, p);
	}
}

static const crosswalk::conversion conversions[] = {
	{"test.example.com/v1", "test.example.com/v2", crosswalk::convert<run>},
};
CW_MODULE(conversions, "edits", "1.0.0", "")
