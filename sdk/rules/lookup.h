/* lookup.h - values, groups and keys that are looked up in a table. */
#ifndef RULES_LOOKUP_H
#define RULES_LOOKUP_H

#include "text.h"

/* Reports whether an earlier pair of a table of values has the partner of pair i, but another value. here and there are the places
 * of the value and of the partner in a pair. Texts that are equal have one place in the program. */
static int shares_partner(ref table, uint32_t i, uint32_t here, uint32_t there)
{
	uint32_t own = 1 + 4 * i;
	for (uint32_t at = 1; at < own; at += 4)
		if (word(table, at + there) == word(table, own + there) && word(table, at + there + 1) == word(table, own + there + 1))
			return word(table, at + here) != word(table, own + here) || word(table, at + here + 1) != word(table, own + here + 1);
	return 0;
}

/* Keeps the value at k of parent, or, if there is none, that there was none. */
static void keep_or_note(cw_value *parent, const char *k, ref list)
{
	static const cw_str none = {NULL, 0};
	if (cw_get(parent, k)) {
		keep(parent, k, list);
	} else if (cwi_keeper_of(parent->document)) {
		cwi_text t = {NULL, 0, 0, 0};
		cwi_add_pointer(&t, parent);
		cwi_add_token(&t, (cw_str){k, cwi_length(k)});
		cwi_keep_at(parent->document, pointers(parent, list), cwi_result(parent->document, t), none);
	}
}

/* Finds the version of an API group in {number, {group, version}…}; 0 if it is not there. */
static int find_version(ref table, cw_str group, cw_str *version)
{
	for (uint32_t i = 0, n = word(table, 0); i < n; i++)
		if (cwi_same_text(group, str(word(table, 1 + 2 * i)))) {
			*version = str(word(table, 2 + 2 * i));
			return 1;
		}
	return 0;
}

/* Appends the group of an apiVersion such as apps/v1; that of v1 is empty. exact: its version is the one of the table. Returns 0 if the
 * text is not an apiVersion, or if the table does not have the group: it could not be converted back. */
static int group_of(cw_str text, ref table, cwi_text *t, int *exact)
{
	cw_str group = {text.at, 0}, version = text, usual;
	for (uint32_t i = 0; i < text.len; i++)
		if (text.at[i] == '/') {
			if (!i || group.len)
				return 0;
			group.len = i;
			version = (cw_str){text.at + i + 1, text.len - i - 1};
		}
	if (!version.len || !find_version(table, group, &usual))
		return 0;
	cwi_add(t, group.at, group.len);
	*exact = cwi_same_text(version, usual);
	return 1;
}

static int add_api_version(cwi_text *t, cw_str group, ref table)
{
	cw_str version;
	if (!find_version(table, group, &version))
		return 0;
	if (group.len) {
		cwi_add(t, group.at, group.len);
		cwi_add_byte(t, '/');
	}
	cwi_add(t, version.at, version.len);
	return 1;
}

/* Reports whether a key is, or begins with, the text on a side of one of the pairs, and sets what it becomes. */
static int new_key(const operation *op, uint32_t side, cw_value *v, cw_str key, cw_str *to)
{
	for (uint32_t i = 0, n = word(op->a, 0); i < n; i++) {
		cw_str from = str(word(op->a, 1 + 2 * i + side)), other = str(word(op->a, 1 + 2 * i + 1 - side));
		if (op->c ? key.len < from.len || !cwi_equal(key.at, from.at, from.len) : !cwi_same_text(key, from))
			continue;
		cwi_text t = {NULL, 0, 0, 0};
		cwi_add(&t, other.at, other.len);
		cwi_add(&t, key.at + from.len, key.len - from.len);
		*to = cwi_result(v->document, t);
		return 1;
	}
	return 0;
}

/* Renames the keys of a map that the pairs are about. A key that stays, and would be renamed on the way back, keeps the map. */
static int rename_keys(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *map = NULL;
	int found = cw_map(parent, k, &map), foreign = 0;
	uint32_t side = op->b ? 1 : 0;
	cwi_seen seen;
	if (found <= 0 || !cw_first(map))
		return found < 0 ? -1 : 0;
	if (!cwi_see_all(&seen, map))
		return -1;
	cwi_text t = {NULL, 0, 0, 0};
	for (cw_value *m = cw_first(map); m; m = cw_next(m)) {
		cw_str name = cw_key(m), to = name, back;
		if (!new_key(op, side, v, name, &to))
			foreign |= new_key(op, 1 - side, v, name, &back);
		if (cwi_see(&seen, to)) {
			cw_str is = cw_quoted(v, to), at = cw_location(map, NULL);
			return cwi_fail_with(v, "%.*s must not have two keys that become %.*s in the other version", CW_ARG(at), CW_ARG(is));
		}
		cwi_add_byte(&t, t.len ? ',' : '{');
		cwi_quote(&t, to.at, to.len);
		cwi_add_byte(&t, ':');
		cwi_add_raw(&t, m);
	}
	if (foreign && op->d)
		keep(parent, k, op->d);
	cwi_add_byte(&t, '}');
	return cwi_put_text(parent, k, t) < 0 ? -1 : 0;
}

#endif
