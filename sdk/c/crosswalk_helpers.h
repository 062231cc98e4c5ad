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

/* The same with the last separators only, so that the first part may contain separators: "registry:5000/shop:1.2" at ":" gives
 * "registry:5000/shop" and "1.2". */
int cw_split_last(cw_value *v, const char *key, const char *separator, const char *const *to, uint32_t count);
int cw_join_last(cw_value *v, const char *key, const char *separator, const char *const *from, uint32_t count);

/* The string at key becomes the integer that it has in decimal digits, "80" becomes 80; and back. Another spelling, such as "080" or
 * 1.0, refuses the object. Integers of any size keep their digits. */
int cw_int_from_string(cw_value *v, const char *key);
int cw_string_from_int(cw_value *v, const char *key);

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

/* Removes the object at key if it has no members. Call it after a cw_move out of the object: an object that only the other version
 * has would stay, empty. */
int cw_remove_if_empty(cw_value *v, const char *key);

/* Returns 1 if the object may be a part of one: it has no metadata.uid, which every stored object has, and one that is about to be
 * stored. Server-side apply converts fragments to find out who owns which field. A module that declares fields has to declare
 * metadata.uid for it, or the object is refused. */
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
static int cwi_cut(cw_str *text, const char *separator, cw_str *part)
{
	uint32_t n = cwi_length(separator);
	if (!text->at)
		return 0;
	*part = *text;
	for (uint32_t i = 0; n > 0 && i + n <= text->len; i++) {
		if (!cwi_equal(text->at + i, separator, n))
			continue;
		part->len = i;
		text->at += i + n;
		text->len -= i + n;
		return 1;
	}
	text->at = NULL;
	return 1;
}

static uint32_t cwi_parts(cw_str text, const char *separator)
{
	uint32_t count = 0;
	cw_str part;
	while (cwi_cut(&text, separator, &part))
		count++;
	return count;
}

/* Refuses the object in the SDK's words; the author's, and earlier ones, count more. Returns -1. */
static int cwi_fail_with(cw_value *v, const char *format, ...) CWI_PRINTF(2, 3);
static int cwi_fail_with(cw_value *v, const char *format, ...)
{
	cwi_text t = {NULL, 0, 0, 0};
	va_list args;
	va_start(args, format);
	cwi_add_format(&t, format, args);
	va_end(args);
	cwi_fail(v->document, t);
	return -1;
}

static cw_str cwi_text_of(const char *s)
{
	cw_str text = {s, cwi_length(s)};
	return text;
}

/* Returns 0 if nothing, or null, is at key of v, otherwise -1: it would be lost. */
static int cwi_vacant(cw_value *v, const char *key, const char *from, const char *verb)
{
	if (!cw_get(v, key))
		return 0;
	cw_str here = cw_location(v, from), there = cw_location(v, key);
	return cwi_fail_with(v, "%.*s cannot be %s: %.*s is there already", CW_ARG(here), verb, CW_ARG(there));
}

/* Returns 0 if the part at key of v is without the separator, otherwise -1. */
static int cwi_whole(cw_value *v, const char *key, const char *separator, cw_str part)
{
	if (cwi_parts(part, separator) <= 1)
		return 0;
	cw_str at = cw_location(v, key), quoted = cw_quoted(v, cwi_text_of(separator)), is = cw_quoted(v, part);
	return cwi_fail_with(v, "%.*s must not contain %.*s, but is %.*s", CW_ARG(at), CW_ARG(quoted), CW_ARG(is));
}

/* Takes the next part; the first one has so many separators that count parts are left to the end, if last is set. */
static int cwi_cut_last(cw_str *rest, const char *separator, uint32_t count, int last, int first, cw_str *part)
{
	uint32_t have = first && last ? cwi_parts(*rest, separator) : 0;
	cw_str more;
	if (!cwi_cut(rest, separator, part))
		return 0;
	for (; have > count; have--) {
		cwi_cut(rest, separator, &more);
		part->len = (uint32_t)(more.at + more.len - part->at);
	}
	return 1;
}

static int cwi_split(cw_value *v, const char *key, const char *separator, const char *const *to, uint32_t count, int last)
{
	cw_str text, part;
	int found = cw_string(v, key, &text);
	if (found <= 0)
		return found;
	uint32_t have = cwi_parts(text, separator);
	if (have != count && !(last && count && have > count)) {
		cw_str at = cw_location(v, key), quoted = cw_quoted(v, cwi_text_of(separator)), is = cw_quoted(v, text);
		return cwi_fail_with(v, "%.*s must have %u parts separated by %.*s, but %.*s has %u", CW_ARG(at), count, CW_ARG(quoted),
			CW_ARG(is), have);
	}
	cw_remove(v, key);
	for (uint32_t i = 0; cwi_cut_last(&text, separator, count, last, i == 0, &part); i++)
		if (cwi_vacant(v, to[i], key, "split") < 0 || cw_set_str(v, to[i], part) < 0)
			return -1;
	return 1;
}

int cw_split(cw_value *v, const char *key, const char *separator, const char *const *to, uint32_t count)
{
	return cwi_split(v, key, separator, to, count, 0);
}

int cw_split_last(cw_value *v, const char *key, const char *separator, const char *const *to, uint32_t count)
{
	return cwi_split(v, key, separator, to, count, 1);
}

/* Returns 0 if text, when it is cut, gives the parts that it was joined from, otherwise -1. */
static int cwi_reversible(cw_value *v, const char *key, const char *separator, cw_str joined, const cw_str *parts, uint32_t count,
	int last)
{
	cw_str rest = joined, part;
	uint32_t i = 0;
	int same = 1;
	if (!*separator)
		return 0;
	for (; cwi_cut_last(&rest, separator, count, last, i == 0, &part); i++)
		same = same && i < count && part.len == parts[i].len && cwi_equal(part.at, parts[i].at, part.len);
	if (same && i == count)
		return 0;
	cw_str at = cw_location(v, key), quoted = cw_quoted(v, cwi_text_of(separator)), is = cw_quoted(v, joined);
	return cwi_fail_with(v, "%.*s cannot be joined with %.*s: %.*s would be taken apart otherwise", CW_ARG(at), CW_ARG(quoted), CW_ARG(is));
}

static cw_str cwi_joined(cwi_document *d, const char *separator, const cw_str *parts, uint32_t count)
{
	cwi_text t = {NULL, 0, 0, 0};
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			cwi_add_string(&t, separator);
		cwi_add(&t, parts[i].at, parts[i].len);
	}
	return cwi_result(d, t);
}

static int cwi_join(cw_value *v, const char *key, const char *separator, const char *const *from, uint32_t count, int last)
{
	uint32_t have = 0;
	if (!v || !count)
		return 0;
	cw_str *parts = (cw_str *)cwi_alloc(sizeof *parts * (uint64_t)count);
	if (!parts) {
		cwi_fail_memory(v->document);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++) {
		int found = cw_string(v, from[i], &parts[have]);
		if (found < 0)
			return -1;
		if (found && !(last && i == 0) && cwi_whole(v, from[i], separator, parts[have]) < 0)
			return -1;
		have += (uint32_t)found;
	}
	if (have < count)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		cw_remove(v, from[i]);
	cw_str joined = cwi_joined(v->document, separator, parts, count);
	if (cwi_vacant(v, key, from[0], "joined") < 0 || cwi_reversible(v, from[0], separator, joined, parts, count, last) < 0)
		return -1;
	return cw_set_str(v, key, joined) < 0 ? -1 : 1;
}

int cw_join(cw_value *v, const char *key, const char *separator, const char *const *from, uint32_t count)
{
	return cwi_join(v, key, separator, from, count, 0);
}

int cw_join_last(cw_value *v, const char *key, const char *separator, const char *const *from, uint32_t count)
{
	return cwi_join(v, key, separator, from, count, 1);
}

/* Returns 1 if the text is an integer in its only spelling, otherwise 0. */
static int cwi_integer(cw_str s)
{
	uint32_t i = s.len > 1 && s.at[0] == '-' && s.at[1] != '0' ? 1 : 0;
	if (i == s.len || (s.at[i] == '0' && s.len > 1))
		return 0;
	for (; i < s.len; i++)
		if (s.at[i] < '0' || s.at[i] > '9')
			return 0;
	return 1;
}

int cw_int_from_string(cw_value *v, const char *key)
{
	cw_str text;
	int found = cw_string(v, key, &text);
	if (found <= 0)
		return found;
	if (!cwi_integer(text)) {
		cw_str at = cw_location(v, key), is = cw_quoted(v, text);
		return cwi_fail_with(v, "%.*s must be an integer, but is %.*s", CW_ARG(at), CW_ARG(is));
	}
	return cw_set_raw(v, key, text) < 0 ? -1 : 1;
}

int cw_string_from_int(cw_value *v, const char *key)
{
	cw_str text = {"", 0};
	int64_t ignored;
	cw_raw(v, key, &text);
	if (cwi_integer(text))
		return cw_set_str(v, key, text) < 0 ? -1 : 1;
	if (text.len && (text.at[0] == '-' || (text.at[0] >= '0' && text.at[0] <= '9'))) {
		cw_str at = cw_location(v, key);
		return cwi_fail_with(v, "%.*s must be an integer, but is %.*s", CW_ARG(at), CW_ARG(text));
	}
	return cw_int(v, key, &ignored) < 0 ? -1 : 0; /* absent, null, or of another type */
}

/* Appends a comma unless this is the first. */
static void cwi_separate(cwi_text *t)
{
	if (t->len > 0 && t->at[t->len - 1] != '{' && t->at[t->len - 1] != '[')
		cwi_add_byte(t, ',');
}

int cw_split_list(cw_value *v, const char *key, const char *separator)
{
	cw_str text, part;
	int found = cw_string(v, key, &text);
	if (found <= 0)
		return found;
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, '[');
	for (int some = text.len > 0; some && cwi_cut(&text, separator, &part);) {
		cwi_separate(&t);
		cwi_quote(&t, part.at, part.len);
	}
	cwi_add_byte(&t, ']');
	return cwi_put_text(v, key, t) < 0 ? -1 : 1;
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
	cw_str *parts = (cw_str *)cwi_alloc(sizeof *parts * ((uint64_t)count + 1));
	if (!parts) {
		cwi_fail_memory(v->document);
		return -1;
	}
	count = 0;
	for (e = cw_first(list); e; e = cw_next(e), count++) {
		found = cw_string(e, NULL, &parts[count]);
		if (found <= 0)
			return found ? -1 : cwi_wrong(e, "a string");
		if (cwi_whole(e, NULL, separator, parts[count]) < 0)
			return -1;
	}
	if (count == 1 && parts[0].len == 0) {
		cw_str at = cw_location(list, NULL);
		return cwi_fail_with(list, "%.*s must not be a list of one empty string", CW_ARG(at));
	}
	cw_str joined = cwi_joined(v->document, separator, parts, count);
	if (count > 0 && cwi_reversible(v, key, separator, joined, parts, count, 0) < 0)
		return -1;
	return cw_set_str(v, key, joined) < 0 ? -1 : 1;
}

static void cwi_add_raw(cwi_text *t, cw_value *v)
{
	cw_str raw;
	if (cw_raw(v, NULL, &raw))
		cwi_add(t, raw.at, raw.len);
}

int cw_list_from_map(cw_value *v, const char *key, const char *name, const char *value)
{
	cw_value *map;
	int found = cw_map(v, key, &map);
	if (found <= 0)
		return found;
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, '[');
	for (cw_value *m = cw_first(map); m; m = cw_next(m)) {
		cwi_separate(&t);
		cwi_add_byte(&t, '{');
		cwi_quote(&t, name, cwi_length(name));
		cwi_add_byte(&t, ':');
		cwi_add(&t, m->key, m->key_len);
		if (value) {
			cwi_add_byte(&t, ',');
			cwi_quote(&t, value, cwi_length(value));
			cwi_add_byte(&t, ':');
			cwi_add_raw(&t, m);
			cwi_add_byte(&t, '}');
			continue;
		}
		if (cw_typeof(m) != CW_OBJECT)
			return cwi_wrong(m, "an object");
		if (cwi_find(m, name)) {
			cw_str at = cw_location(m, name);
			return cwi_fail_with(m, "%.*s must not be there: it is where the key of a list element goes", CW_ARG(at));
		}
		cw_str raw = {"", 0};
		cw_raw(m, NULL, &raw);
		if (raw.len < 2)
			return -1; /* malformed; the error is noted */
		const char *rest = cwi_skip_space(raw.at + 1, raw.at + raw.len);
		if (*rest != '}')
			cwi_add_byte(&t, ',');
		cwi_add(&t, rest, (uint32_t)(raw.at + raw.len - rest));
	}
	cwi_add_byte(&t, ']');
	return cwi_put_text(v, key, t) < 0 ? -1 : 1;
}

/* Appends what a list element is as the value of a map. Returns -1 if the object is refused. */
static int cwi_add_entry(cwi_text *t, cw_value *e, const char *name, const char *value)
{
	if (!value)
		cwi_add_byte(t, '{');
	for (cw_value *m = cw_first(e); m; m = cw_next(m)) {
		cw_str key = cw_key(m);
		if (cw_is(key, name) || (value && cw_is(key, value)))
			continue;
		if (value) {
			cw_str at = cw_location(m, NULL);
			return cwi_fail_with(m, "%.*s has no place in a map from %s to %s", CW_ARG(at), name, value);
		}
		cwi_separate(t);
		cwi_add(t, m->key, m->key_len);
		cwi_add_byte(t, ':');
		cwi_add_raw(t, m);
	}
	if (!value) {
		cwi_add_byte(t, '}');
		return 0;
	}
	cw_value *there = cwi_find(e, value);
	if (!there) {
		cw_str at = cw_location(e, value);
		return cwi_fail_with(e, "%.*s must be there: it becomes the value in a map", CW_ARG(at));
	}
	cwi_add_raw(t, there);
	return 0;
}

/* Texts that were seen, in a binary tree. Objects come from anyone, so that a hash could collide for all of them; the way into this tree is
 * at most 9 steps for each byte of a text. */
typedef struct cwi_seen_node {
	struct cwi_seen_node *next[2]; /* by the bit; NULL for a text */
	uint64_t bit;                  /* that the texts below differ in first */
	cw_str text;
} cwi_seen_node;

typedef struct {
	cwi_seen_node *top, *free;
} cwi_seen;

/* A byte has 9 bits: the first one says that the text has the byte. */
static uint32_t cwi_bit(cw_str text, uint64_t bit)
{
	uint64_t byte = bit / 9, rest = bit % 9;
	return byte < text.len && (!rest || (uint8_t)text.at[byte] >> (8 - rest) & 1);
}

/* Returns 1 if the text was seen before, and remembers it. */
static int cwi_see(cwi_seen *seen, cw_str text)
{
	cwi_seen_node *near = seen->top, **at = &seen->top, *one = seen->free++;
	uint32_t same = 0;
	one->next[0] = one->next[1] = NULL;
	one->text = text;
	if (!near) {
		seen->top = one;
		return 0;
	}
	while (near->next[0])
		near = near->next[cwi_bit(text, near->bit)];
	while (same < text.len && same < near->text.len && text.at[same] == near->text.at[same])
		same++;
	if (same == text.len && same == near->text.len)
		return 1;
	uint64_t bit = 9 * (uint64_t)same;
	while (cwi_bit(text, bit) == cwi_bit(near->text, bit))
		bit++;
	while ((*at)->next[0] && (*at)->bit < bit)
		at = &(*at)->next[cwi_bit(text, (*at)->bit)];
	cwi_seen_node *fork = seen->free++;
	fork->bit = bit;
	fork->next[cwi_bit(text, bit)] = one;
	fork->next[!cwi_bit(text, bit)] = *at;
	*at = fork;
	return 0;
}

/* Makes room for as many texts as the list has elements; 0 if there is no memory. */
static int cwi_see_all(cwi_seen *seen, cw_value *list)
{
	uint64_t count = 0;
	for (cw_value *e = cw_first(list); e; e = cw_next(e))
		count++;
	seen->top = NULL;
	seen->free = (cwi_seen_node *)cwi_alloc(2 * sizeof *seen->free * (count + 1));
	if (!seen->free)
		cwi_fail_memory(list->document);
	return seen->free != NULL;
}

int cw_map_from_list(cw_value *v, const char *key, const char *name, const char *value)
{
	cw_value *list;
	cwi_seen seen;
	int found = cw_list(v, key, &list);
	if (found <= 0)
		return found;
	if (!cwi_see_all(&seen, list))
		return -1;
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, '{');
	for (cw_value *e = cw_first(list); e; e = cw_next(e)) {
		cw_str text, at;
		if (cw_typeof(e) != CW_OBJECT)
			return cwi_wrong(e, "an object");
		found = cw_string(e, name, &text);
		if (found < 0)
			return -1;
		if (!found) {
			at = cw_location(e, name);
			return cwi_fail_with(e, "%.*s must be there: it becomes the key of a map", CW_ARG(at));
		}
		if (cwi_see(&seen, text)) {
			cw_str is = cw_quoted(v, text);
			at = cw_location(e, name);
			return cwi_fail_with(e, "%.*s must be there once only, but %.*s is there twice", CW_ARG(at), CW_ARG(is));
		}
		cwi_separate(&t);
		cwi_quote(&t, text.at, text.len);
		cwi_add_byte(&t, ':');
		if (cwi_add_entry(&t, e, name, value) < 0)
			return -1;
	}
	cwi_add_byte(&t, '}');
	return cwi_put_text(v, key, t) < 0 ? -1 : 1;
}

static int cwi_exchange(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count, int back)
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
	return cwi_exchange(v, key, pairs, count, 0);
}

int cw_translate_back(cw_value *v, const char *key, const cw_pair *pairs, uint32_t count)
{
	return cwi_exchange(v, key, pairs, count, 1);
}

int cw_remove_if_empty(cw_value *v, const char *key)
{
	cw_value *map;
	int found = cw_map(v, key, &map);
	return found <= 0 ? found : cw_first(map) ? 0 : cw_remove(map, NULL);
}

int cw_is_fragment(cw_value *v)
{
	cw_value *uid = v ? cw_get(cw_get(v->document->root, "metadata"), "uid") : NULL;
	if (v && !cw_shown(v->document->root, "metadata.uid") && !cw_refused(v->document->root))
		cw_refuse(v->document->root, "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (CW_MODULE_FIELDS)");
	return cw_typeof(uid) != CW_STRING;
}

int cw_default(cw_value *v, const char *key, const char *json)
{
	if (cw_typeof(v) != CW_OBJECT || cw_is_fragment(v) || cw_get(v, key))
		return 0;
	return cw_set_raw(v, key, cwi_text_of(json)) < 0 ? -1 : 1;
}

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_IMPLEMENTED */
