/* partsobject.h - one string in one version, an object with its parts in the other. The object is there if the string is; an absent
 * part is a certain text in the string, such as "*". */
#ifndef RULES_PARTSOBJECT_H
#define RULES_PARTSOBJECT_H

#include "text.h"

static const char *part_key(const operation *op, uint32_t i)
{
	return key(part_path(op->a, i), 0);
}

static cw_str separator_of(const operation *op)
{
	static const cw_str space = {" ", 1};
	return op->c == SPLIT_WORDS ? space : str(op->b);
}

static int split_object(cw_value *v, const operation *op)
{
	const char *k, *to_key;
	cw_value *parent = holder(v, op->path, &k);
	cw_str text = {"", 0}, parts[MAX_PARTS];
	uint32_t want = word(op->a, 0), some = 0;
	int found = cw_string(parent, k, &text);
	if (found <= 0)
		return found < 0 || (parent && cw_remove(parent, k) < 0) ? -1 : 0; /* a null */
	uint32_t have = cut(text, op->b, op->c, parts, want);
	if (have != want)
		return refuse_text(parent, k, op->e, text, have);
	if (!cwi_same_text(cwi_joined(v->document, separator_of(op).at, parts, want), text))
		keep(parent, k, op->h); /* more white space than one space */
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, '{');
	for (uint32_t i = 0; i < want; i++) {
		if (cwi_same_text(parts[i], str(op->i)))
			continue;
		if (some++)
			cwi_add_byte(&t, ',');
		cwi_quote(&t, part_key(op, i), cwi_length(part_key(op, i)));
		cwi_add_byte(&t, ':');
		cwi_quote(&t, parts[i].at, parts[i].len);
	}
	cwi_add_byte(&t, '}');
	if (op->j)
		return cwi_put_text(parent, k, t) < 0 ? -1 : 0;
	if (vacant(v, op->g, parent, k, "split") < 0 || cw_remove(parent, k) < 0)
		return -1;
	cw_value *to = make(v, op->g);
	holder(v, op->g, &to_key);
	if (!to || cwi_put_text(to, to_key, t) < 0)
		return -1;
	clean(v, op->path, op->d);
	return 0;
}

static int join_object(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->g, &k), *o = cw_get(parent, k);
	cw_str parts[MAX_PARTS];
	uint32_t n = word(op->a, 0), members = 0, have = 0;
	int exact = 1;
	if (!o)
		return parent && cw_remove(parent, k) < 0 ? -1 : 0; /* a null */
	if (cw_typeof(o) != CW_OBJECT)
		return cwi_wrong(o, "an object");
	for (cw_value *c = cw_first(o); c; c = cw_next(c))
		members++;
	for (uint32_t i = 0; i < n; i++) {
		int found = cw_string(o, part_key(op, i), &parts[i]);
		if (found < 0 || (found && check_part(o, part_key(op, i), op, parts[i], !is_free(op, i, n)) < 0))
			return -1;
		if (!found)
			parts[i] = str(op->i);
		else if (have++, members--, cwi_same_text(parts[i], str(op->i)))
			exact = 0;
	}
	if (!have && cw_is_fragment(v)) /* the text of absent parts is a default, which its applier would own */
		return cw_remove(parent, k) < 0 ? -1 : 0;
	if (!exact || members)
		keep(o, NULL, op->h); /* the string does not say all of it */
	cw_str joined = cwi_joined(v->document, separator_of(op).at, parts, n);
	if (op->c == SPLIT_EVERY && cwi_reversible(o, part_key(op, 0), chars(op->b), joined, parts, n, 0) < 0)
		return -1;
	if (op->j)
		return cw_set_str(parent, k, joined);
	if (vacant(v, op->path, parent, k, "joined") < 0 || cw_remove(parent, k) < 0 || set_part(v, op->path, TYPE_STRING, joined) < 0)
		return -1;
	clean(v, op->g, op->d);
	return 0;
}

#endif
