/* messages.h - refusals in the words of the rules: {path}, {value} and {count} are filled in. */
#ifndef RULES_MESSAGES_H
#define RULES_MESSAGES_H

#include "program.h"

static int placeholder(cw_str text, uint32_t i, const char *name)
{
	uint32_t n = cwi_length(name);
	return i + n <= text.len && cwi_equal(text.at + i, name, n);
}

/* Refuses the object, because of the value at key of v, which is shown as it is. Returns -1. */
static int refuse(cw_value *v, const char *k, ref text, cw_str value, uint32_t count)
{
	cwi_text t = {NULL, 0, 0, 0};
	cw_str s = str(text), where = cw_location(v, k);
	for (uint32_t i = 0; i < s.len;) {
		if (placeholder(s, i, "{path}")) {
			cwi_add(&t, where.at, where.len);
			i += 6;
		} else if (placeholder(s, i, "{value}")) {
			cwi_add(&t, value.at, value.len);
			i += 7;
		} else if (placeholder(s, i, "{count}")) {
			cwi_add_int(&t, count);
			i += 7;
		} else {
			cwi_add_byte(&t, s.at[i++]);
		}
	}
	cwi_fail(v->document, t);
	return -1;
}

/* The same, about text. */
static int refuse_text(cw_value *v, const char *k, ref text, cw_str value, uint32_t count)
{
	return refuse(v, k, text, cw_quoted(v, value), count);
}

/* Returns the JSON list of a list of pointers: what a parcel of the stash is taken for. 0 is the stash's default. */
static cw_str pointers(cw_value *v, ref list)
{
	cwi_text t = {NULL, 0, 0, 0};
	if (!list)
		return (cw_str){NULL, 0};
	uint32_t n = word(list, 0);
	cwi_add_byte(&t, '[');
	for (uint32_t i = 0; i < n; i++) {
		cw_str p = str(word(list, 1 + i));
		if (i)
			cwi_add_byte(&t, ',');
		cwi_quote(&t, p.at, p.len);
	}
	cwi_add_byte(&t, ']');
	return cwi_result(v->document, t);
}

/* Keeps the value at key of v in the stash, without removing it. */
static void keep(cw_value *v, const char *k, ref list)
{
	cwi_text t = {NULL, 0, 0, 0};
	cw_str raw;
	cw_value *c = k ? cw_get(v, k) : v;
	if (!c || !cw_raw(c, NULL, &raw))
		return;
	cwi_add_pointer(&t, c);
	if (cwi_keeper_of(c->document))
		cwi_keep_at(c->document, pointers(v, list), cwi_result(c->document, t), raw);
}

/* Moves the value at key of v to the stash. */
static int stash(cw_value *v, const char *k, ref list)
{
	return v ? cwi_take_away(v, k, pointers(v, list)) : 0;
}

#endif
