/* text.h - one string in one version, its parts in the other. */
#ifndef RULES_TEXT_H
#define RULES_TEXT_H

#include "numbers.h"

enum { MAX_PARTS = 16 };

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Takes the next word off text; its length is 0 if there is none. */
static cw_str next_word(cw_str *text)
{
	cw_str w;
	while (text->len > 0 && is_space(*text->at))
		text->at++, text->len--;
	w.at = text->at;
	while (text->len > 0 && !is_space(*text->at))
		text->at++, text->len--;
	w.len = (uint32_t)(text->at - w.at);
	return w;
}

static int contains(cw_str text, const char *any)
{
	for (uint32_t i = 0; i < text.len; i++)
		for (const char *c = any; *c; c++)
			if (text.at[i] == *c)
				return 1;
	return 0;
}

/* Cuts "host:port" or "[address]:port" into its two parts, of which one may be empty. */
static int cut_host_port(cw_str text, cw_str *parts)
{
	int bracket = text.len > 0 && text.at[0] == '[';
	cw_str host = {text.at + bracket, 0};
	const char *end = text.at + text.len;
	while (host.at + host.len < end && host.at[host.len] != (bracket ? ']' : ':'))
		host.len++;
	const char *colon = host.at + host.len + bracket;
	if (colon >= end || *colon != ':')
		return 0;
	cw_str port = {colon + 1, (uint32_t)(end - colon - 1)};
	if (bracket ? !contains(host, ":") : text.len == 1)
		return 0;
	parts[0] = host;
	parts[1] = port;
	return !contains(host, "[]") && !contains(port, ":[]");
}

/* Cuts text into want parts; returns how many there are. Parts beyond want are counted only. */
static uint32_t cut(cw_str text, ref separator, uint32_t how, cw_str *parts, uint32_t want)
{
	cw_str part;
	uint32_t n = 0, all;
	switch (how) {
	case SPLIT_WORDS:
		for (; (part = next_word(&text)).len > 0; n++)
			if (n < want)
				parts[n] = part;
		return n;
	case SPLIT_HOST_PORT:
		return cut_host_port(text, parts) ? 2 : 1;
	}
	const char *s = chars(separator);
	all = cwi_parts(text, s);
	if (how == SPLIT_EVERY || all <= want) {
		for (; cwi_cut(&text, s, &part); n++)
			if (n < want)
				parts[n] = part;
		return n;
	}
	/* The one part that may contain separators is the last one, or the first. */
	const char *end = text.at + text.len;
	uint32_t extra = all - want, free_part = how == SPLIT_FIRST ? want - 1 : 0;
	for (; n < want; n++) {
		const char *start = text.at;
		for (uint32_t i = 0; i <= (n == free_part ? extra : 0); i++)
			cwi_cut(&text, s, &part);
		parts[n].at = start;
		parts[n].len = (uint32_t)((part.at ? part.at + part.len : end) - start);
	}
	return want;
}

/* A part of a string: {path, type}. */
static ref part_path(ref parts, uint32_t i) { return word(parts, 1 + 2 * i); }
static uint32_t part_type(ref parts, uint32_t i) { return word(parts, 2 + 2 * i); }

/* Returns 0 if nothing is at path of v, otherwise -1: it would be lost. */
static int vacant(cw_value *v, ref path, cw_value *from, const char *from_key, const char *verb)
{
	const char *k;
	cw_value *parent = holder(v, path, &k);
	if (!parent || !cw_get(parent, k))
		return 0;
	cw_str here = cw_location(from, from_key), there = cw_location(parent, k);
	return cwi_fail_with(v, "%.*s cannot be %s: %.*s is there already", CW_ARG(here), verb, CW_ARG(there));
}

/* Sets the part of a string. */
static int set_part(cw_value *v, ref path, uint32_t type, cw_str text)
{
	uint32_t n = keys(path);
	cw_value *parent = make(v, path);
	if (!parent)
		return -1;
	return type == TYPE_INTEGER ? cw_set_raw(parent, key(path, n - 1), text) : cw_set_str(parent, key(path, n - 1), text);
}

/* Puts back the parts that join kept in an annotation: "min=0 hour=3". */
static int restore_parts(cw_value *v, const operation *op, cw_str kept)
{
	const char *name = chars(op->i);
	cw_str rest = kept, w;
	while ((w = next_word(&rest)).len > 0) {
		uint32_t equals = 0, n = word(op->a, 0);
		int known = 0;
		while (equals < w.len && w.at[equals] != '=')
			equals++;
		cw_str here = {w.at, equals}, value = {w.at + equals + 1, w.len - equals - 1};
		for (uint32_t i = 0; i < n && equals + 1 < w.len; i++) {
			ref path = part_path(op->a, i);
			if (!cw_is(here, key(path, keys(path) - 1)))
				continue;
			if (set_part(v, path, part_type(op->a, i), value) < 0)
				return -1;
			known = 1;
		}
		if (!known)
			return refuse_text(cw_get(cw_get(v, "metadata"), "annotations"), name, op->g, kept, 0);
	}
	return 0;
}

static int split(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k);
	cw_str text = {"", 0}, kept, parts[MAX_PARTS];
	uint32_t want = word(op->a, 0);
	int incomplete = op->i ? cw_annotation(v, chars(op->i), &kept) : 0;
	int found = cw_string(parent, k, &text), exact = 1;
	int64_t number;
	if (incomplete < 0 || found < 0)
		return -1;
	if (found || op->c >= SPLIT_WORDS)
		cw_remove(parent, k); /* of words and hosts a null, too */
	if (!found && incomplete && restore_parts(v, op, kept) < 0)
		return -1;
	if (incomplete)
		cw_remove_annotation(v, chars(op->i));
	if (!found || (op->c == SPLIT_HOST_PORT && !text.len))
		return 0;
	uint32_t have = cut(text, op->b, op->c, parts, want);
	if (have != want)
		return refuse_text(parent, k, op->e, text, have);
	for (uint32_t i = 0; i < want; i++) {
		if (op->c == SPLIT_HOST_PORT && !parts[i].len)
			continue;
		cwi_text t = {NULL, 0, 0, 0};
		if (part_type(op->a, i) == TYPE_INTEGER) {
			if (!read_integer(parts[i], &number))
				return refuse_text(parent, k, op->e, text, have);
			cwi_add_int(&t, number);
			cw_str written = cwi_result(v->document, t);
			exact = exact && cwi_same_text(written, parts[i]);
			parts[i] = written;
		}
		if (vacant(v, part_path(op->a, i), parent, k, "split") < 0)
			return -1;
	}
	for (uint32_t i = 0; i < want; i++)
		if ((op->c != SPLIT_HOST_PORT || parts[i].len) && set_part(v, part_path(op->a, i), part_type(op->a, i), parts[i]) < 0)
			return -1;
	if (!exact && op->h) { /* "080" */
		cwi_text pointer = {NULL, 0, 0, 0}, quoted = {NULL, 0, 0, 0};
		cwi_add_pointer(&pointer, parent);
		cwi_add_token(&pointer, (cw_str){k, cwi_length(k)});
		cwi_quote(&quoted, text.at, text.len);
		if (cwi_keeper_of(v->document))
			cwi_keep_at(v->document, pointers(v, op->h), cwi_result(v->document, pointer), cwi_result(v->document, quoted));
	}
	clean(v, op->path, op->d);
	return 0;
}

/* Checks one part to be joined; whole: it must not contain the separator. */
static int check_part(cw_value *parent, const char *k, const operation *op, cw_str part, int whole)
{
	cw_str rest = part;
	switch (op->c) {
	case SPLIT_WORDS:
		return part.len == 0 || next_word(&rest).len != part.len ? refuse_text(parent, k, op->f, part, 0) : 0;
	case SPLIT_HOST_PORT:
		return contains(part, whole ? ":[]" : "[]") ? refuse_text(parent, k, whole ? op->g : op->f, part, 0) : 0;
	}
	return whole ? cwi_whole(parent, k, chars(op->b), part) : 0;
}

/* Keeps what cannot be joined. */
static int keep_parts(cw_value *v, const operation *op, const cw_str *parts, uint32_t n)
{
	cwi_text t = {NULL, 0, 0, 0};
	for (uint32_t i = 0; i < n; i++) {
		const char *k;
		ref path = part_path(op->a, i);
		cw_value *parent = holder(v, path, &k);
		switch (op->j) {
		case PARTIAL_STASH:
			/* Null, too, is no part, but a value that the other version has no field for. */
			if (stash(parent, k, op->h) < 0)
				return -1;
			break;
		case PARTIAL_REFUSE:
			if (!parts[i].at)
				return refuse(v, NULL, op->g, str(word(op->i, 1 + i)), 0);
			break;
		case PARTIAL_ANNOTATION:
			if (!parts[i].at)
				break;
			if (t.len)
				cwi_add_byte(&t, ' ');
			cwi_add_string(&t, k);
			cwi_add_byte(&t, '=');
			cwi_add(&t, parts[i].at, parts[i].len);
			cw_remove(parent, k);
		}
	}
	return op->j == PARTIAL_ANNOTATION ? cw_set_annotation(v, chars(op->i), cwi_result(v->document, t)) : 0;
}

/* Reports whether a part may contain separators. */
static int is_free(const operation *op, uint32_t i, uint32_t n)
{
	return (op->c == SPLIT_FIRST && i == n - 1) || (op->c == SPLIT_LAST && i == 0) || (op->c == SPLIT_HOST_PORT && i == 0);
}

static int join(cw_value *v, const operation *op)
{
	cw_str parts[MAX_PARTS];
	uint32_t n = word(op->a, 0), have = 0;
	const char *k;
	for (uint32_t i = 0; i < n; i++) {
		ref path = part_path(op->a, i);
		cw_value *parent = holder(v, path, &k);
		int64_t number;
		int integer = part_type(op->a, i) == TYPE_INTEGER, found = integer ? cw_int(parent, k, &number) : cw_string(parent, k, &parts[i]);
		if (found < 0)
			return -1;
		if (!found || (op->c == SPLIT_HOST_PORT && !integer && !parts[i].len)) {
			parts[i].at = NULL;
			parts[i].len = 0;
			continue;
		}
		if (integer) {
			cwi_text t = {NULL, 0, 0, 0};
			cwi_add_int(&t, number);
			parts[i] = cwi_result(v->document, t);
		}
		if (check_part(parent, k, op, parts[i], !is_free(op, i, n)) < 0)
			return -1;
		have++;
	}
	if (op->j == PARTIAL_ANNOTATION && (have == 0 || have == n))
		cw_remove_annotation(v, chars(op->i));
	if (have < n && (have > 0 || op->j == PARTIAL_STASH) && op->c != SPLIT_HOST_PORT)
		return keep_parts(v, op, parts, n);
	if (have == 0 && op->c < SPLIT_WORDS)
		return 0;
	cw_value *first = holder(v, part_path(op->a, 0), &k);
	for (uint32_t i = 0; i < n; i++) {
		const char *gone;
		cw_remove(holder(v, part_path(op->a, i), &gone), key(part_path(op->a, i), keys(part_path(op->a, i)) - 1));
	}
	if (have == 0)
		return 0;
	cw_str joined;
	if (op->c == SPLIT_HOST_PORT)
		joined = cw_format(v, contains(parts[0], ":") ? "[%.*s]:%.*s" : "%.*s:%.*s", CW_ARG(parts[0]), CW_ARG(parts[1]));
	else
		joined = cwi_joined(v->document, op->c == SPLIT_WORDS ? " " : chars(op->b), parts, n);
	if (vacant(v, op->path, first, k, "joined") < 0)
		return -1;
	if (op->c == SPLIT_EVERY && cwi_reversible(first, k, chars(op->b), joined, parts, n, 0) < 0)
		return -1;
	if (set_part(v, op->path, TYPE_STRING, joined) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		clean(v, part_path(op->a, i), op->d);
	return 0;
}

#endif
