// Does what the object says: it calls the helpers in .program, [name, object, argument...], where object is the path of the object
// that the keys among the arguments are members of. The same module in every language lets the shared vectors compare the SDKs. Between
// v3 and v4 it calls lossless with the programs .forth and .back.
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

using crosswalk::object;
using crosswalk::pair;
using crosswalk::text;
using crosswalk::value;

static constexpr int most = 16;

// A call from the program.
struct call {
	text name;
	value on;
	const char *arguments[most] = {};
	pair pairs[most] = {};
	int argument_count = 0, pair_count = 0;
};

// The parts of split and join are an array, whose size the compiler knows.
template <size_t N> static bool split(const call &c, const char *const *parts)
{
	const char *to[N];
	for (size_t i = 0; i < N; i++)
		to[i] = parts[i];
	const char *key = c.arguments[0], *separator = c.arguments[1];
	if (c.name == "splitlast")
		return c.on.split_last(key, separator, to);
	if (c.name == "joinlast")
		return c.on.join_last(key, separator, to);
	return c.name == "split" ? c.on.split(key, separator, to) : c.on.join(key, separator, to);
}

static void apply(object o, const call &c)
{
	const char *key = c.arguments[0], *first = c.arguments[1], *other = c.arguments[2];
	const char *value_name = other && *other ? other : nullptr;
	if (c.name == "split" || c.name == "join" || c.name == "splitlast" || c.name == "joinlast") {
		bool done = c.argument_count == 4 ? split<2>(c, c.arguments + 2) : split<3>(c, c.arguments + 2);
		if (!done && (c.name == "join" || c.name == "joinlast"))
			o.set("joined", false);
	} else if (c.name == "intfromstring") {
		c.on.int_from_string(key);
	} else if (c.name == "stringfromint") {
		c.on.string_from_int(key);
	} else if (c.name == "splitlist") {
		c.on.split_list(key, first);
	} else if (c.name == "joinlist") {
		c.on.join_list(key, first);
	} else if (c.name == "listfrommap") {
		c.on.list_from_map(key, first, value_name);
	} else if (c.name == "mapfromlist") {
		c.on.map_from_list(key, first, value_name);
	} else if (c.name == "translate") {
		if (!c.on.translate(key, c.pairs))
			o.set("translated", false);
	} else if (c.name == "translateback") {
		c.on.translate_back(key, c.pairs);
	} else if (c.name == "removeifempty") {
		c.on.remove_if_empty(key);
	} else if (c.name == "default") {
		c.on.set_default(key, crosswalk::raw{first});
	}
}

static const char *string(value v) { return v.concat(v.string().value_or("")).data(); }

static void run_program(object o, const char *program)
{
	for (value line : o.elements(program)) {
		call c{"", o};
		for (pair &p : c.pairs)
			p = {"", ""}; // translates nothing
		int i = 0;
		for (value part : line.elements()) {
			if (i == 0) {
				c.name = part.string().value_or("");
			} else if (i == 1) {
				for (value key : part.elements())
					c.on = c.on.get(string(key));
			} else if (part.type() == crosswalk::type::array) {
				pair &p = c.pairs[c.pair_count++ % most];
				const char **side = &p.here;
				for (value word : part.elements()) {
					*side = string(word);
					side = &p.there;
				}
			} else {
				c.arguments[c.argument_count++ % most] = string(part);
			}
			i++;
		}
		apply(o, c);
	}
}

static void run(object o)
{
	run_program(o, "program");
	o.remove("program");
}

static void forth(object o) { run_program(o, "forth"); }
static void back(object o) { run_program(o, "back"); }

static const crosswalk::conversion conversions[] = {
	{"test.example.com/v1", "test.example.com/v2", crosswalk::convert<run>},
	{"test.example.com/v3", "test.example.com/v4", crosswalk::lossless<forth, back>},
	{"test.example.com/v4", "test.example.com/v3", crosswalk::lossless<back, forth>},
};
CW_MODULE(conversions, "helpers", "1.0.0", "")
