/* Does what the object says: it calls the helpers in .program, [name, object, argument...], where object is the path of the
 * object that the keys among the arguments are members of. The same module in every language lets the shared vectors compare the
 * SDKs. Between v3 and v4 it calls cw_lossless with the programs .forth and .back. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"
#include "crosswalk_helpers.h"
#include "crosswalk_stash.h"

enum { MOST = 16 };

/* A call from the program; texts end with NUL. */
typedef struct {
	cw_str name;
	cw_value *object;
	const char *arguments[MOST];
	cw_pair pairs[MOST];
	uint32_t argument_count, pair_count;
} call;

static const char *text(cw_object *o, cw_value *v)
{
	cw_str s = {"", 0};
	cw_string(v, NULL, &s);
	return cw_format(o, "%.*s", CW_ARG(s)).at;
}

/* Returns what the path leads to; NULL if it is absent. */
static cw_value *at(cw_object *o, cw_value *path)
{
	cw_value *v = o;
	for (cw_value *e = cw_first(path); e; e = cw_next(e))
		v = cw_get(v, text(o, e));
	return v;
}

static void apply(cw_object *o, const call *c)
{
	const char *key = c->arguments[0], *first = c->arguments[1];
	const char *const *rest = c->arguments + 2;
	uint32_t count = c->argument_count > 2 ? c->argument_count - 2 : 0;
	const char *value = count && *rest[0] ? rest[0] : NULL;
	if (cw_is(c->name, "split")) {
		cw_split(c->object, key, first, rest, count);
	} else if (cw_is(c->name, "join")) {
		if (!cw_join(c->object, key, first, rest, count))
			cw_set_bool(o, "joined", 0);
	} else if (cw_is(c->name, "splitlast")) {
		cw_split_last(c->object, key, first, rest, count);
	} else if (cw_is(c->name, "joinlast")) {
		if (!cw_join_last(c->object, key, first, rest, count))
			cw_set_bool(o, "joined", 0);
	} else if (cw_is(c->name, "intfromstring")) {
		cw_int_from_string(c->object, key);
	} else if (cw_is(c->name, "stringfromint")) {
		cw_string_from_int(c->object, key);
	} else if (cw_is(c->name, "splitlist")) {
		cw_split_list(c->object, key, first);
	} else if (cw_is(c->name, "joinlist")) {
		cw_join_list(c->object, key, first);
	} else if (cw_is(c->name, "listfrommap")) {
		cw_list_from_map(c->object, key, first, value);
	} else if (cw_is(c->name, "mapfromlist")) {
		cw_map_from_list(c->object, key, first, value);
	} else if (cw_is(c->name, "translate")) {
		if (!cw_translate(c->object, key, c->pairs, c->pair_count))
			cw_set_bool(o, "translated", 0);
	} else if (cw_is(c->name, "translateback")) {
		cw_translate_back(c->object, key, c->pairs, c->pair_count);
	} else if (cw_is(c->name, "removeifempty")) {
		cw_remove_if_empty(c->object, key);
	} else if (cw_is(c->name, "default")) {
		cw_default(c->object, key, first);
	}
}

static int run_program(cw_object *o, const char *key)
{
	cw_value *program;
	if (cw_list(o, key, &program) < 0)
		return -1;
	for (cw_value *e = cw_first(program); e; e = cw_next(e)) {
		call c = {{"", 0}, NULL, {NULL}, {{NULL, NULL}}, 0, 0};
		int i = 0;
		for (cw_value *part = cw_first(e); part; part = cw_next(part), i++) {
			if (i == 0)
				cw_string(part, NULL, &c.name);
			else if (i == 1)
				c.object = at(o, part);
			else if (cw_typeof(part) == CW_ARRAY)
				c.pairs[c.pair_count++ % MOST] = (cw_pair){text(o, cw_first(part)), text(o, cw_next(cw_first(part)))};
			else
				c.arguments[c.argument_count++ % MOST] = text(o, part);
		}
		apply(o, &c);
	}
	return 0;
}

static int run(cw_object *o)
{
	if (run_program(o, "program") < 0)
		return -1;
	cw_remove(o, "program");
	return 0;
}

static int forth(cw_object *o) { return run_program(o, "forth"); }
static int back(cw_object *o) { return run_program(o, "back"); }
static int to_v4(cw_object *o) { return cw_lossless(o, forth, back); }
static int to_v3(cw_object *o) { return cw_lossless(o, back, forth); }

static const cw_conversion conversions[] = {
	{"test.example.com/v1", "test.example.com/v2", run},
	{"test.example.com/v3", "test.example.com/v4", to_v4},
	{"test.example.com/v4", "test.example.com/v3", to_v3},
};
CW_MODULE(conversions, "helpers", "1.0.0", "")
