/* crosswalk_helpers.h - what converters often do, beside crosswalk.h: strings cut and joined, lists and maps, enums, defaults.
 *
 * Include it after crosswalk.h; the file with CROSSWALK_IMPLEMENTATION has its code. As there, functions return 1, 0 if what they
 * need is absent or null, as it may be in a fragment, and nothing was done, or -1 if something is wrong and the object refused. Keys
 * are those of members of v. sdk/README.md has the table of the helpers that all languages share.
 */
#ifndef CROSSWALK_HELPERS_H
#define CROSSWALK_HELPERS_H

#include "crosswalk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the string at key apart at every separator; there must be count parts, which become the members to, and key goes:
 * cw_split(spec, "hostPort", ":", keys, 2). A member that is there already refuses the object. */
int cw_split(cw_value *v, const char *key, const char *separator, const char *const *to, uint32_t count);

/* The opposite. If one of the parts is absent, nothing is done. A part that contains the separator refuses the object, as
 * cw_split would not give it back. */
int cw_join(cw_value *v, const char *key, const char *separator, const char *const *from, uint32_t count);

/* The string at key becomes a list of strings, the empty one an empty list; and back. */
int cw_split_list(cw_value *v, const char *key, const char *separator);
int cw_join_list(cw_value *v, const char *key, const char *separator);

/* The map {"web":{"port":80}} at key becomes the list [{"name":"web","port":80}], with "name" for name; and back. With a member
 * for the value, not NULL, {"a":1} becomes [{"name":"a","value":1}]. */
int cw_list_from_map(cw_value *v, const char *key, const char *name, const char *value);
int cw_map_from_list(cw_value *v, const char *key, const char *name, const char *value);

/* Words that correspond. A string without a partner stays as it is, and 0 is returned. Of pairs that say the same on the side
 * that is looked up, the first one counts. */
typedef struct {
	const char *here, *there;
} cw_pair;
int cw_translate(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count);
int cw_translate_back(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count);

/* Puts JSON at key if nothing, or null, is there; not in a fragment, and not if v is absent. */
int cw_default(cw_value *v, const char *key, const char *json);

/* Returns 1 if the object may be a part of one: it has no metadata.uid, which every stored object has, and one that is about to be
 * stored. Server-side apply converts fragments to find out who owns which field. */
int cw_is_fragment(cw_value *v);

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_HELPERS_H */

#if defined(CROSSWALK_IMPLEMENTED) && !defined(CROSSWALK_HELPERS_IMPLEMENTED)
#define CROSSWALK_HELPERS_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* Takes what is before the next separator off text; 0 when there is nothing left. An empty separator cuts nothing. */
static int cw_cut(cw_str *text, const char *separator, cw_str *part)
{
	uint32_t n = cw_length(separator);
	if (!text->at)
		return 0;
	*part = *text;
	for (uint32_t i = 0; n > 0 && i + n <= text->len; i++) {
		if (!cw_equal(text->at + i, separator, n))
			continue;
		part->len = i;
		text->at += i + n;
		text->len -= i + n;
		return 1;
	}
	text->at = NULL;
	return 1;
}

static uint32_t cw_parts(cw_str text, const char *separator)
{
	uint32_t count = 0;
	cw_str part;
	while (cw_cut(&text, separator, &part))
		count++;
	return count;
}

/* Refuses the object with a text that is put together from the strings, NULL at the end. Returns -1. */
static int cw_fail_with(cw_document *d, const cw_str *parts, uint32_t count)
{
	cw_text t = {NULL, 0, 0, 0};
	for (uint32_t i = 0; i < count; i++)
		cw_add(&t, parts[i].at, parts[i].len);
	cw_fail(d, t);
	return -1;
}

static cw_str cw_text_of(const char *s)
{
	cw_str text = {s, cw_length(s)};
	return text;
}

static cw_str cw_number_text(cw_document *d, uint32_t i)
{
	cw_text t = {NULL, 0, 0, 0};
	cw_add_int(&t, i);
	return cw_result(d, t);
}

/* Refuses the object: "<v.key> <middle> <what> <end> <last>". Returns -1. */
static int cw_fail_at(cw_value *v, const char *key, const char *middle, cw_str what, const char *end, cw_str last)
{
	const cw_str parts[] = {cw_location(v, key), cw_text_of(middle), what, cw_text_of(end), last};
	return cw_fail_with(v->document, parts, 5);
}

static const cw_str cw_nothing = {"", 0};

/* Returns 0 if nothing, or null, is at key of v, otherwise -1: something would be lost. */
static int cw_vacant(cw_value *v, const char *key, const char *from, const char *verb)
{
	if (!cw_get(v, key))
		return 0;
	return cw_fail_at(v, from, verb, cw_location(v, key), " is there already", cw_nothing);
}

static int cw_must_not_contain(cw_value *v, const char *key, const char *separator, cw_str part)
{
	cw_str quoted = cw_quoted(v, cw_text_of(separator));
	return cw_fail_at(v, key, " must not contain ", quoted, ", but is ", cw_quoted(v, part));
}

int cw_split(cw_value *v, const char *key, const char *separator, const char *const *to, uint32_t count)
{
	cw_str text, part;
	int found = cw_string(v, key, &text);
	if (found <= 0)
		return found;
	uint32_t have = cw_parts(text, separator);
	if (have != count) {
		const cw_str words[] = {cw_location(v, key), cw_text_of(" must have "), cw_number_text(v->document, count),
			cw_text_of(" parts separated by "), cw_quoted(v, cw_text_of(separator)), cw_text_of(", but "),
			cw_quoted(v, text), cw_text_of(" has "), cw_number_text(v->document, have)};
		return cw_fail_with(v->document, words, 9);
	}
	cw_delete(v, key);
	for (uint32_t i = 0; cw_cut(&text, separator, &part); i++)
		if (cw_vacant(v, to[i], key, " cannot be split: ") < 0 || cw_set_str(v, to[i], part) < 0)
			return -1;
	return 1;
}

/* Returns 0 if text, when it is cut, gives the parts that it was joined from, otherwise -1. */
static int cw_reversible(cw_value *v, const char *key, const char *separator, cw_str joined, const cw_str *parts, uint32_t count)
{
	cw_str rest = joined, part;
	uint32_t i = 0;
	int same = 1;
	if (!*separator)
		return 0;
	for (; cw_cut(&rest, separator, &part); i++)
		same = same && i < count && part.len == parts[i].len && cw_equal(part.at, parts[i].at, part.len);
	if (same && i == count)
		return 0;
	cw_str quoted = cw_quoted(v, cw_text_of(separator));
	const cw_str words[] = {cw_location(v, key), cw_text_of(" cannot be joined with "), quoted, cw_text_of(": "), cw_quoted(v, joined),
		cw_text_of(" would be taken apart otherwise")};
	return cw_fail_with(v->document, words, 6);
}

static cw_str cw_joined(cw_document *d, const char *separator, const cw_str *parts, uint32_t count)
{
	cw_text t = {NULL, 0, 0, 0};
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			cw_add_string(&t, separator);
		cw_add(&t, parts[i].at, parts[i].len);
	}
	return cw_result(d, t);
}

int cw_join(cw_value *v, const char *key, const char *separator, const char *const *from, uint32_t count)
{
	cw_str *parts = (cw_str *)cw_alloc(sizeof *parts * (uint64_t)count);
	uint32_t have = 0;
	if (!v || !count)
		return 0;
	if (!parts) {
		cw_fail_memory(v->document);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++) {
		int found = cw_string(v, from[i], &parts[have]);
		if (found < 0)
			return -1;
		if (found && cw_parts(parts[have], separator) > 1)
			return cw_must_not_contain(v, from[i], separator, parts[have]);
		have += (uint32_t)found;
	}
	if (have < count || v->document->error.at)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		cw_delete(v, from[i]);
	cw_str joined = cw_joined(v->document, separator, parts, count);
	if (cw_vacant(v, key, from[0], " cannot be joined: ") < 0 || cw_reversible(v, from[0], separator, joined, parts, count) < 0)
		return -1;
	return cw_set_str(v, key, joined) < 0 ? -1 : 1;
}

int cw_split_list(cw_value *v, const char *key, const char *separator)
{
	cw_str text, part;
	int found = cw_string(v, key, &text);
	if (found <= 0)
		return found;
	cw_text t = {NULL, 0, 0, 0};
	cw_add_byte(&t, '[');
	while (text.len + 1 > 1 && cw_cut(&text, separator, &part)) {
		cw_quote(&t, part.at, part.len);
		cw_add_byte(&t, ',');
		if (text.at && text.len == 0) { /* the text ends with a separator */
			cw_add_string(&t, "\"\",");
			break;
		}
	}
	t.len -= t.len > 1;
	cw_add_byte(&t, ']');
	return cw_put_text(v, key, t) < 0 ? -1 : 1;
}

int cw_join_list(cw_value *v, const char *key, const char *separator)
{
	cw_value *list, *e;
	int found = cw_list(v, key, &list);
	if (found <= 0)
		return found;
	uint32_t count = 0;
	for (e = cw_first(list); e; e = cw_next(e))
		count++;
	cw_str *parts = (cw_str *)cw_alloc(sizeof *parts * ((uint64_t)count + 1));
	if (!parts) {
		cw_fail_memory(v->document);
		return -1;
	}
	count = 0;
	for (e = cw_first(list); e; e = cw_next(e), count++) {
		found = cw_string(e, NULL, &parts[count]);
		if (found <= 0)
			return found ? -1 : cw_wrong(e, "a string");
		if (cw_parts(parts[count], separator) > 1)
			return cw_must_not_contain(e, NULL, separator, parts[count]);
	}
	if (count == 1 && parts[0].len == 0)
		return cw_fail_at(list, NULL, " must not be a list of one empty string", cw_nothing, "", cw_nothing);
	cw_str joined = cw_joined(v->document, separator, parts, count);
	if (count > 0 && cw_reversible(v, key, separator, joined, parts, count) < 0)
		return -1;
	return cw_set_str(v, key, joined) < 0 ? -1 : 1;
}

/* Appends a comma unless this is the first. */
static void cw_separate(cw_text *t)
{
	if (t->len > 0 && t->at[t->len - 1] != '{' && t->at[t->len - 1] != '[')
		cw_add_byte(t, ',');
}

static void cw_add_raw(cw_text *t, cw_value *v)
{
	cw_str raw;
	if (cw_raw(v, NULL, &raw))
		cw_add(t, raw.at, raw.len);
}

int cw_list_from_map(cw_value *v, const char *key, const char *name, const char *value)
{
	cw_value *map;
	int found = cw_map(v, key, &map);
	if (found <= 0)
		return found;
	cw_text t = {NULL, 0, 0, 0};
	cw_add_byte(&t, '[');
	for (cw_value *m = cw_first(map); m; m = cw_next(m)) {
		cw_separate(&t);
		cw_add_byte(&t, '{');
		cw_quote(&t, name, cw_length(name));
		cw_add_byte(&t, ':');
		cw_add(&t, m->key, m->key_len);
		if (value) {
			cw_add_byte(&t, ',');
			cw_quote(&t, value, cw_length(value));
			cw_add_byte(&t, ':');
			cw_add_raw(&t, m);
			cw_add_byte(&t, '}');
			continue;
		}
		if (cw_typeof(m) != CW_OBJECT)
			return cw_wrong(m, "an object");
		if (cw_find(m, name))
			return cw_fail_at(m, name, " must not be there: it is where the key of a list element goes", cw_nothing, "", cw_nothing);
		cw_str raw = cw_nothing;
		cw_raw(m, NULL, &raw);
		if (raw.len < 2)
			return -1; /* malformed; the error is noted */
		const char *rest = cw_skip_space(raw.at + 1, raw.at + raw.len);
		if (*rest != '}')
			cw_add_byte(&t, ',');
		cw_add(&t, rest, (uint32_t)(raw.at + raw.len - rest));
	}
	cw_add_byte(&t, ']');
	return cw_put_text(v, key, t) < 0 ? -1 : 1;
}

/* Appends what a list element is as the value of a map. Returns -1 if the object is refused. */
static int cw_add_entry(cw_text *t, cw_value *e, const char *name, const char *value)
{
	if (!value)
		cw_add_byte(t, '{');
	for (cw_value *m = cw_first(e); m; m = cw_next(m)) {
		cw_str key = cw_key(m);
		if (cw_is(key, name) || (value && cw_is(key, value)))
			continue;
		if (value) {
			const cw_str words[] = {cw_location(m, NULL), cw_text_of(" has no place in a map from "), cw_text_of(name), cw_text_of(" to "),
				cw_text_of(value)};
			return cw_fail_with(e->document, words, 5);
		}
		cw_separate(t);
		cw_add(t, m->key, m->key_len);
		cw_add_byte(t, ':');
		cw_add_raw(t, m);
	}
	if (!value) {
		cw_add_byte(t, '}');
		return 0;
	}
	cw_value *there = cw_find(e, value);
	if (!there)
		return cw_fail_at(e, value, " must be there: it becomes the value in a map", cw_nothing, "", cw_nothing);
	cw_add_raw(t, there);
	return 0;
}

int cw_map_from_list(cw_value *v, const char *key, const char *name, const char *value)
{
	cw_value *list;
	int found = cw_list(v, key, &list);
	if (found <= 0)
		return found;
	cw_text t = {NULL, 0, 0, 0};
	cw_add_byte(&t, '{');
	for (cw_value *e = cw_first(list); e; e = cw_next(e)) {
		cw_str text, other;
		if (cw_typeof(e) != CW_OBJECT)
			return cw_wrong(e, "an object");
		found = cw_string(e, name, &text);
		if (found <= 0)
			return found ? -1 : cw_fail_at(e, name, " must be there: it becomes the key of a map", cw_nothing, "", cw_nothing);
		for (cw_value *before = cw_first(list); before && before != e; before = cw_next(before))
			if (cw_string(before, name, &other) > 0 && other.len == text.len && cw_equal(other.at, text.at, text.len))
				return cw_fail_at(e, name, " must be there once only, but ", cw_quoted(v, text), " is there twice", cw_nothing);
		cw_separate(&t);
		cw_quote(&t, text.at, text.len);
		cw_add_byte(&t, ':');
		if (cw_add_entry(&t, e, name, value) < 0)
			return -1;
	}
	cw_add_byte(&t, '}');
	return cw_put_text(v, key, t) < 0 ? -1 : 1;
}

static int cw_exchange(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count, int back)
{
	cw_str text;
	int found = cw_string(v, key, &text);
	for (uint32_t i = 0; found > 0 && i < count; i++) {
		const char *from = back ? pairs[i].there : pairs[i].here, *to = back ? pairs[i].here : pairs[i].there;
		if (cw_is(text, from))
			return !cw_is(text, to) && cw_set_string(v, key, to) < 0 ? -1 : 1;
	}
	return found < 0 ? -1 : 0;
}

int cw_translate(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count)
{
	return cw_exchange(v, key, pairs, count, 0);
}

int cw_translate_back(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count)
{
	return cw_exchange(v, key, pairs, count, 1);
}

int cw_is_fragment(cw_value *v)
{
	cw_value *uid = v ? cw_get(cw_get(v->document->root, "metadata"), "uid") : NULL;
	return cw_typeof(uid) != CW_STRING;
}

int cw_default(cw_value *v, const char *key, const char *json)
{
	if (cw_typeof(v) != CW_OBJECT || cw_is_fragment(v) || cw_get(v, key))
		return 0;
	return cw_set_raw(v, key, cw_text_of(json)) < 0 ? -1 : 1;
}

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_IMPLEMENTED */
