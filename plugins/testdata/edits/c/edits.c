/* Does what the object says: it runs the list of edits in .program, [name, path, argument...], on the object. The same module
 * in every language lets a test compare the SDKs. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"

/* A path, whose keys end with NUL. */
typedef struct {
	const char *key[16];
	int count;
} path;

static path keys(cw_object *o, cw_value *list)
{
	path p = {{0}, 0};
	for (cw_value *e = cw_first(list); e && p.count < 16; e = cw_next(e)) {
		cw_str key = {"", 0};
		cw_string(e, NULL, &key);
		p.key[p.count++] = cw_format(o, "%.*s", CW_ARG(key)).at;
	}
	return p;
}

/* Returns the object that has the last key of p, made if need be. */
static cw_value *made(cw_object *o, path p)
{
	cw_value *v = o;
	for (int i = 0; i + 1 < p.count; i++)
		v = cw_make(v, p.key[i]);
	return v;
}

/* Returns it if it is there; what is wrong on the way refuses the object. */
static cw_value *there(cw_object *o, path p)
{
	cw_value *v = o;
	for (int i = 0; i + 1 < p.count; i++)
		if (cw_map(v, p.key[i], &v) <= 0)
			return NULL;
	return v;
}

/* Reports like there, but leaves the object alone. */
static cw_value *seen(cw_object *o, path p, int *wrong)
{
	cw_value *v = o;
	*wrong = 0;
	for (int i = 0; i + 1 < p.count; i++) {
		v = cw_get(v, p.key[i]);
		if (v && cw_typeof(v) != CW_OBJECT) {
			*wrong = 1;
			return NULL;
		}
	}
	return v;
}

static void note(cw_object *o, cw_str text, int ok, int wrong)
{
	cw_append_str(o, "out", cw_format(o, "%.*s %s %s", CW_ARG(text), ok ? "true" : "false", wrong ? "true" : "false"));
}

static void apply(cw_object *o, cw_str name, path p, cw_str text, path to)
{
	const char *key = p.count ? p.key[p.count - 1] : "";
	cw_str raw;
	int wrong;
	if (cw_is(name, "set")) {
		cw_value *v = made(o, p);
		if (v)
			cw_set_str(v, key, text);
	} else if (cw_is(name, "int")) {
		cw_value *v = made(o, p);
		int64_t i = 0;
		for (uint32_t at = text.at[0] == '-'; at < text.len; at++)
			i = (int64_t)((uint64_t)i * 10 + (uint64_t)(text.at[at] - '0'));
		if (v)
			cw_set_int(v, key, text.at[0] == '-' ? (int64_t)(0 - (uint64_t)i) : i);
	} else if (cw_is(name, "bool")) {
		cw_value *v = made(o, p);
		if (v)
			cw_set_bool(v, key, cw_is(text, "true"));
	} else if (cw_is(name, "raw")) {
		cw_value *v = made(o, p);
		if (v)
			cw_set_raw(v, key, text);
	} else if (cw_is(name, "append")) {
		cw_value *v = made(o, p);
		if (v)
			cw_append_str(v, key, text);
	} else if (cw_is(name, "appendraw")) {
		cw_value *v = made(o, p);
		if (v)
			cw_append_raw(v, key, text);
	} else if (cw_is(name, "delete")) {
		cw_remove(there(o, p), key);
	} else if (cw_is(name, "rename")) {
		cw_rename(there(o, p), key, cw_format(o, "%.*s", CW_ARG(text)).at);
	} else if (cw_is(name, "move")) {
		cw_value *from = there(o, p);
		if (to.count && cw_raw(from, key, &raw)) {
			cw_value *v = made(o, to);
			if (v)
				cw_move(from, key, v, to.key[to.count - 1]);
		}
	} else if (cw_is(name, "read")) {
		if (cw_raw(seen(o, p, &wrong), key, &raw))
			cw_append_str(o, "out", raw);
	} else if (cw_is(name, "string")) {
		cw_value *v = cw_get(seen(o, p, &wrong), key);
		cw_str s = {"", 0};
		int ok = cw_typeof(v) == CW_STRING && cw_string(v, NULL, &s) > 0;
		note(o, s, ok, wrong || (v && !ok));
	} else if (cw_is(name, "number")) {
		cw_value *v = cw_get(seen(o, p, &wrong), key);
		int ok = cw_typeof(v) == CW_NUMBER && cw_raw(v, NULL, &raw);
		for (uint32_t i = ok && raw.at[0] == '-'; ok && i < raw.len; i++)
			ok = raw.at[i] >= '0' && raw.at[i] <= '9';
		int64_t i = 0;
		if (ok)
			cw_int(v, NULL, &i);
		cw_value *scratch = cw_make(o, "scratch");
		cw_set_int(scratch, "i", i);
		cw_raw(scratch, "i", &raw);
		cw_remove(o, "scratch");
		note(o, raw, ok, wrong || (v && !ok));
	} else if (cw_is(name, "keys")) {
		cw_value *v = cw_get(seen(o, p, &wrong), key);
		if (cw_typeof(v) == CW_OBJECT)
			for (cw_value *m = cw_first(v); m; m = cw_next(m)) {
				cw_str k = cw_key(m), at = cw_location(m, NULL);
				cw_append_str(o, "out", cw_format(o, "%.*s %.*s", CW_ARG(k), CW_ARG(at)));
			}
	} else if (cw_is(name, "elements")) {
		cw_value *v = cw_get(seen(o, p, &wrong), key);
		int i = 0;
		if (cw_typeof(v) != CW_ARRAY)
			return;
		for (cw_value *e = cw_first(v); e; e = cw_next(e)) {
			if (i++ % 2 == 1)
				cw_remove(e, NULL);
			else
				cw_set_str(e, NULL, text);
		}
	}
}

static int run(cw_object *o)
{
	cw_value *program;
	if (cw_list(o, "program", &program) < 0)
		return -1;
	for (cw_value *edit = cw_first(program); edit; edit = cw_next(edit)) {
		cw_str name = {"", 0}, text = {"", 0};
		path p = {{0}, 0}, to = {{0}, 0};
		int i = 0;
		for (cw_value *part = cw_first(edit); part; part = cw_next(part), i++) {
			if (i == 0)
				cw_string(part, NULL, &name);
			else if (i == 1)
				p = keys(o, part);
			else if (cw_typeof(part) == CW_ARRAY)
				to = keys(o, part);
			else
				cw_string(part, NULL, &text);
		}
		apply(o, name, p, text, to);
	}
	return 0;
}

static const cw_conversion conversions[] = {
	{"test.example.com/v1", "test.example.com/v2", run},
};
CW_MODULE(conversions, "edits", "1.0.0", "")
