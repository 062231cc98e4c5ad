/* crosswalk_stash.h - keeps what the other version has no field for in one annotation, and puts it back, beside crosswalk.h.
 *
 * Include it after crosswalk.h; the file with CROSSWALK_IMPLEMENTATION has its code. docs/stash.md of the gateway is the format,
 * which modules in all languages share.
 *
 *	static int to_beta(cw_object *o)                          static int to_v1(cw_object *o)
 *	{                                                         {
 *		cw_stash(cw_get(o, "spec"), "maintenance");               return cw_restore(o);
 *		return 0;                                         }
 *	}
 */
#ifndef CROSSWALK_STASH_H
#define CROSSWALK_STASH_H

#include "crosswalk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the value at key out of the object and keeps it in an annotation, for a version that has no field for it. The conversion
 * back puts it in again, if it begins with cw_restore and nothing but metadata and status was changed meanwhile; what is below
 * .status, if the status was not. Returns 1, 0 if nothing is there, or -1.
 *
 * Call it before you rename or move what encloses the value: the way to it is remembered as it is now. A fragment without metadata has
 * no place for a stash: what is taken out of it is gone. An object is refused if its stash gets too long (128 KiB). */
int cw_stash(cw_value *v, const char *key);

/* Does as cw_stash, for a value that belongs to less than the whole object: it is put back if, in the other version, what is at the
 * JSON Pointers ("/spec/users", "/spec/hosts/0"; ~1 for a slash in a key, ~0 for a tilde) was not changed. None at all (count 0)
 * mean that it is put back in any case, which is right for a field that the other version knows nothing of. */
int cw_stash_for(cw_value *v, const char *key, const char *const *pointers, uint32_t count);

/* Has what the conversion to the other version kept put back, as far as it is not stale: call it before anything else. Whether it is
 * stale is found out at once, from the object as it came; it is put back when the converter has returned. Returns 0, or -1 if there
 * is no memory. Without a stash it does nothing, and a stash never refuses an object: what cannot be put back is logged. */
int cw_restore(cw_object *o);

/* Converts with convert, and keeps by itself what the other version cannot hold: it converts back with back, and stashes what comes out
 * different from the object as it came. It also begins with cw_restore. Call it as all that a converter does:
 *
 *	static int v1_to_beta(cw_object *o) { return cw_lossless(o, to_beta, to_v1); }
 *	static int beta_to_v1(cw_object *o) { return cw_lossless(o, to_v1, to_beta); }
 *
 * It costs a conversion back and a comparison for every object, and what it keeps is dropped when anything but metadata and status is
 * changed in the other version. cw_stash_for is faster and can keep more; both together make little sense. What back refuses is
 * not kept: the other version could not be written back in any case. */
int cw_lossless(cw_object *o, int (*convert)(cw_object *o), int (*back)(cw_object *o));

/* For tests with the vectors that all languages share. The hash of a value, NULL for absent; and of what a parcel is taken for: taken is
 * a JSON list of pointers, at NULL for the default. cw_hash_for returns 0 if taken is not that. */
uint64_t cw_hash(cw_value *v);
int cw_hash_for(cw_object *o, cw_str taken, uint64_t *hash);

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_STASH_H */

#if defined(CROSSWALK_IMPLEMENTED) && !defined(CROSSWALK_STASH_IMPLEMENTED)
#define CROSSWALK_STASH_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the hash ----------------------------------------------------------------------------------------------------------
 * 64 bits of a JSON value, the same whatever the order of members, the white space, the escapes and the way numbers are written, as
 * an API server may change all of that. It detects change; it is no security. */

static const uint64_t cw_fnv_start = 0xcbf29ce484222325;

static uint64_t cw_fnv(uint64_t h, const char *at, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)at[i]) * 0x100000001b3;
	return h;
}

static uint64_t cw_fnv_word(uint64_t h, uint64_t word)
{
	for (int i = 0; i < 64; i += 8)
		h = (h ^ (word >> i & 0xff)) * 0x100000001b3;
	return h;
}

/* Spreads every bit over the whole result: members are added up, for which FNV alone is too regular. */
static uint64_t cw_mix(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
	return h ^ h >> 33;
}

/* Hashes a number in its normal form: 0, or its digits without zeros around them, e, and a power of ten. 1000 is 1e3. */
static uint64_t cw_hash_number(cw_str text)
{
	uint64_t h = cw_fnv(cw_fnv_start, "d", 1);
	int64_t exponent = 0, power = 0;
	uint32_t i = text.at[0] == '-', first = text.len, last = 0, fraction = 0;
	for (; i < text.len && (text.at[i] | 0x20) != 'e'; i++) {
		if (text.at[i] == '.') {
			fraction = 1;
			continue;
		}
		exponent -= fraction;
		if (text.at[i] != '0') {
			first = first == text.len ? i : first;
			last = i;
		}
	}
	if (first == text.len)
		return cw_mix(cw_fnv(h, "0", 1));
	for (uint32_t j = i; j-- > last + 1;)
		exponent += text.at[j] == '0'; /* zeros at the end are no digits of it */
	int negative = i + 1 < text.len && text.at[i + 1] == '-';
	for (i++; i < text.len; i++) /* beyond 32 bits a number is 0 or refused by the gateway */
		if (text.at[i] >= '0' && text.at[i] <= '9' && power < INT32_MAX)
			power = power * 10 + (text.at[i] - '0');
	if (text.at[0] == '-')
		h = cw_fnv(h, "-", 1);
	for (uint32_t j = first; j <= last; j++)
		if (text.at[j] != '.')
			h = cw_fnv(h, text.at + j, 1);
	cw_text t = {NULL, 0, 0, 0};
	cw_add_byte(&t, 'e');
	cw_add_int(&t, exponent + (negative ? -power : power));
	return cw_mix(cw_fnv(h, t.at, t.len));
}

static uint64_t cw_hash_scalar(cw_value *v)
{
	cw_str text = {"", 0};
	switch (cw_typeof(v)) {
	case CW_STRING:
		cw_string(v, NULL, &text);
		return cw_mix(cw_fnv(cw_fnv(cw_fnv_start, "s", 1), text.at, text.len));
	case CW_NUMBER:
		cw_raw(v, NULL, &text);
		return cw_hash_number(text);
	case CW_BOOL:
		return cw_mix(cw_fnv(cw_fnv_start, v->at, 1)); /* t or f */
	default:
		return cw_mix(cw_fnv(cw_fnv_start, "n", 1));
	}
}

/* An object or array whose hash is being taken, within another: the nesting takes memory of the arena, not of the stack. */
typedef struct cw_hashing {
	struct cw_hashing *outer;
	cw_value *child; /* the next one */
	uint64_t sum;
	int object;
} cw_hashing;

/* Members of the root that the default of "for" leaves out. */
static int cw_no_content(cw_str key)
{
	return cw_is(key, "apiVersion") || cw_is(key, "kind") || cw_is(key, "metadata") || cw_is(key, "status");
}

/* Returns the next child that counts. */
static cw_value *cw_hash_next(cw_hashing *top, int content)
{
	cw_value *c = top->child;
	while (c && top->object && (cw_typeof(c) == CW_NULL || (content && !top->outer && cw_no_content(cw_key(c)))))
		c = cw_next(c);
	return top->child = c;
}

/* Adds the hash of the child at hand. */
static void cw_hash_add(cw_hashing *top, uint64_t h)
{
	if (top->object) {
		cw_str key = cw_key(top->child);
		h = cw_fnv_word(cw_fnv(cw_fnv_start, "m", 1), h);
		top->sum += cw_mix(cw_fnv(h, key.at, key.len));
	} else {
		top->sum = cw_fnv_word(top->sum, h);
	}
	top->child = cw_next(top->child);
}

/* Returns the hash of v; of an object, with its content only if that is asked for. */
static uint64_t cw_hash_of(cw_value *v, int content)
{
	cw_hashing *top = NULL, *spare = NULL;
	for (;;) {
		if (cw_typeof(v) >= CW_ARRAY) {
			cw_hashing *inner = spare ? spare : (cw_hashing *)cw_alloc(sizeof *inner);
			if (!inner) {
				cw_fail_memory(v->document);
				return 0;
			}
			spare = spare ? spare->outer : NULL;
			inner->outer = top;
			inner->object = cw_typeof(v) == CW_OBJECT;
			inner->sum = inner->object ? 0 : cw_fnv(cw_fnv_start, "a", 1);
			inner->child = cw_first(v);
			top = inner;
		} else {
			uint64_t h = cw_hash_scalar(v);
			if (!top)
				return h;
			cw_hash_add(top, h);
		}
		while (!(v = cw_hash_next(top, content))) {
			uint64_t h = cw_mix(top->object ? cw_fnv_word(cw_fnv(cw_fnv_start, "o", 1), top->sum) : top->sum);
			cw_hashing *outer = top->outer;
			top->outer = spare;
			spare = top;
			top = outer;
			if (!top)
				return h;
			cw_hash_add(top, h);
		}
	}
}

uint64_t cw_hash(cw_value *v)
{
	return cw_hash_of(v, 0);
}

/* ---- pointers ----------------------------------------------------------------------------------------------------------
 * JSON Pointers (RFC 6901), which name values in a stash. */

static void cw_add_token(cw_text *t, cw_str key)
{
	cw_add_byte(t, '/');
	for (uint32_t i = 0; i < key.len; i++) {
		if (key.at[i] == '~' || key.at[i] == '/')
			cw_add(t, key.at[i] == '~' ? "~0" : "~1", 2);
		else
			cw_add_byte(t, key.at[i]);
	}
}

static void cw_add_index(cw_text *t, uint32_t index)
{
	cw_add_byte(t, '/');
	cw_add_int(t, index);
}

/* Appends the pointer to v. An element of a list has the number it came with, whatever was deleted before it. */
static void cw_add_pointer(cw_text *t, const cw_value *v)
{
	uint32_t depth = 0;
	for (const cw_value *a = v; a->parent; a = a->parent)
		depth++;
	for (; depth > 0; depth--) {
		const cw_value *a = v;
		for (uint32_t up = 1; up < depth; up++)
			a = a->parent;
		uint32_t index = 0;
		for (const cw_value *c = a->parent->first; c && c != a; c = c->next)
			index++;
		if (*a->parent->at == '{')
			cw_add_token(t, cw_key((cw_value *)a));
		else
			cw_add_index(t, index);
	}
}

/* Takes the first key off a pointer; 0 if there is none. */
static int cw_cut_token(cw_str *pointer, cw_str *key)
{
	uint32_t end = 1, escaped = 0;
	if (pointer->len == 0 || *pointer->at != '/')
		return 0;
	for (; end < pointer->len && pointer->at[end] != '/'; end++)
		escaped |= pointer->at[end] == '~';
	key->at = pointer->at + 1;
	key->len = end - 1;
	pointer->at += end;
	pointer->len -= end;
	if (!escaped)
		return 1;
	char *plain = (char *)cw_alloc((uint64_t)key->len + CW_PAD), *to = plain;
	if (!plain)
		return 0;
	for (uint32_t i = 0; i < key->len; i++) {
		char c = key->at[i];
		if (c == '~' && i + 1 < key->len && (key->at[i + 1] == '0' || key->at[i + 1] == '1'))
			c = key->at[++i] == '0' ? '~' : '/';
		*to++ = c;
	}
	key->at = plain;
	key->len = (uint32_t)(to - plain);
	return 1;
}

/* Returns 1 if a pointer leads to what may be put back. */
static int cw_restorable(cw_str pointer)
{
	cw_str key;
	return cw_cut_token(&pointer, &key) && !cw_is(key, "apiVersion") && !cw_is(key, "kind") && !cw_is(key, "metadata");
}

/* Returns 1 and the number of an element, if a key may be meant as one. */
static int cw_index_of(cw_str key, uint32_t *index)
{
	*index = 0;
	if (key.len == 0 || key.len > 9 || (key.len > 1 && key.at[0] == '0'))
		return 0;
	for (uint32_t i = 0; i < key.len; i++) {
		if (key.at[i] < '0' || key.at[i] > '9')
			return 0;
		*index = *index * 10 + (uint32_t)(key.at[i] - '0');
	}
	return 1;
}

/* Returns the member or element of v with that key, null or not. */
static cw_value *cw_step(cw_value *v, cw_str key)
{
	uint32_t index;
	if (cw_typeof(v) != CW_ARRAY)
		return cw_typeof(v) == CW_OBJECT ? cw_find_text(v, key) : NULL;
	if (!cw_index_of(key, &index))
		return NULL;
	cw_value *e = cw_first(v);
	for (; e && index > 0; index--)
		e = cw_next(e);
	return e;
}

/* Returns what a pointer leads to from v, null or not. */
static cw_value *cw_at(cw_value *v, cw_str pointer)
{
	cw_str key;
	while (v && pointer.len > 0)
		v = cw_cut_token(&pointer, &key) ? cw_step(v, key) : NULL;
	return v;
}

/* Makes {"b":{"c":json}} of the pointer /b/c; at NULL if one of the keys may be meant as the number of an element. */
static cw_str cw_nest(cw_document *d, cw_str pointer, cw_str json)
{
	cw_text t = {NULL, 0, 0, 0};
	cw_str key, none = {NULL, 0};
	uint32_t depth = 0, index;
	for (; pointer.len > 0; depth++) {
		if (!cw_cut_token(&pointer, &key) || cw_index_of(key, &index))
			return none;
		cw_add_byte(&t, '{');
		cw_quote(&t, key.at, key.len);
		cw_add_byte(&t, ':');
	}
	cw_add(&t, json.at, json.len);
	for (; depth > 0; depth--)
		cw_add_byte(&t, '}');
	return cw_result(d, t);
}

/* Puts JSON where a pointer leads; 0 if it cannot. Objects on the way are made, elements of lists are not. */
static int cw_set_at(cw_value *v, cw_str pointer, cw_str json)
{
	cw_str key;
	while (cw_cut_token(&pointer, &key)) {
		cw_value *there = cw_step(v, key);
		if (there && pointer.len > 0 && cw_typeof(there) != CW_NULL) {
			v = there;
			continue;
		}
		if (!there && cw_typeof(v) != CW_OBJECT)
			return 0;
		cw_str value = cw_nest(v->document, pointer, json);
		if (!value.at)
			return 0;
		if (there)
			return cw_replace(there, value) == 0;
		cw_finish(v); /* a member can be added only where all are listed */
		return cw_insert(v, key, value) != NULL;
	}
	return 0;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------------- */

/* The longest text of a stash's annotation, in bytes: half of what Kubernetes allows all annotations of an object together
 * (256 KiB), as kubectl's last-applied configuration needs room too. */
enum { CW_STASH_MAX = 128 << 10 };

/* Something that is kept. */
typedef struct cw_kept {
	struct cw_kept *next;
	cw_str taken;   /* what it was taken for: a JSON list of pointers; at NULL = everything but metadata and status */
	cw_str pointer;
	cw_str value;   /* at NULL: the conversion back puts in a value that was not there */
} cw_kept;

/* A parcel that cw_restore found fresh. */
typedef struct cw_fresh {
	struct cw_fresh *next;
	cw_value *parcel;
} cw_fresh;

typedef struct cw_keeper {
	cw_kept *first, **last;
	cw_fresh *fresh, **fresh_last;
	int restoring; /* cw_restore was called */
} cw_keeper;

static void cw_end_stash(cw_object *o);

/* Returns the keeper of the conversion that is going on; NULL outside of one, or if there is no memory. */
static cw_keeper *cw_keeper_of(cw_document *d)
{
	if (d->conversion && !d->keeper) {
		cw_keeper *k = (cw_keeper *)cw_alloc(sizeof *k);
		if (!k) {
			cw_fail_memory(d);
			return NULL;
		}
		k->first = NULL;
		k->last = &k->first;
		k->fresh = NULL;
		k->fresh_last = &k->fresh;
		k->restoring = 0;
		d->keeper = k;
		d->at_end = cw_end_stash;
	}
	return d->keeper;
}

/* Keeps a value, or notes that there was none; taken at NULL is the default of its place. */
static void cw_keep_at(cw_document *d, cw_str taken, cw_str pointer, cw_str value)
{
	static const cw_str status = {"[\"/status\"]", 11};
	cw_kept *kept = (cw_kept *)cw_alloc(sizeof *kept);
	if (!kept) {
		cw_fail_memory(d);
		return;
	}
	cw_str rest = pointer, key;
	kept->next = NULL;
	kept->taken = !taken.at && cw_cut_token(&rest, &key) && cw_is(key, "status") ? status : taken;
	kept->pointer = pointer;
	kept->value = value;
	*d->keeper->last = kept;
	d->keeper->last = &kept->next;
}

static int cw_take_away(cw_value *v, const char *key, cw_str taken)
{
	int status;
	cw_value *c = cw_target(v, key, &status);
	if (status <= 0)
		return status;
	cw_document *d = c->document;
	cw_text t = {NULL, 0, 0, 0};
	cw_add_pointer(&t, c);
	cw_str pointer = cw_result(d, t), value = {"", 0};
	if (!cw_restorable(pointer))
		return cw_cannot(c, " cannot be stashed: only what is beside apiVersion, kind and metadata can", NULL);
	if (*c->parent->at != '{')
		return cw_cannot(c, " cannot be stashed: it is an element of a list, which can be stashed as a whole", NULL);
	cw_raw(c, NULL, &value);
	if (cw_keeper_of(d))
		cw_keep_at(d, taken, pointer, value);
	cw_detach(c);
	return 1;
}

int cw_stash(cw_value *v, const char *key)
{
	static const cw_str all = {NULL, 0};
	return cw_take_away(v, key, all);
}

int cw_stash_for(cw_value *v, const char *key, const char *const *pointers, uint32_t count)
{
	if (!v)
		return 0;
	cw_text t = {NULL, 0, 0, 0};
	for (uint32_t i = 0; i < count; i++) {
		cw_add_byte(&t, i ? ',' : '[');
		cw_quote(&t, pointers[i], cw_length(pointers[i]));
	}
	cw_add_string(&t, count ? "]" : "[]");
	return cw_take_away(v, key, cw_result(v->document, t));
}

/* Returns "v1" of "example.com/v1". */
static cw_str cw_bare(const char *version)
{
	const char *bare = cw_bare_version(version);
	cw_str text = {bare, cw_length(bare)};
	return text;
}

/* Returns the string at key of v; "" if it is something else. */
static cw_str cw_text_at(cw_value *v, const char *key)
{
	cw_str text = {"", 0};
	cw_value *c = cw_get(v, key);
	if (cw_typeof(c) == CW_STRING)
		cw_string(c, NULL, &text);
	return text;
}

/* Returns the annotation for the group of the conversion, followed by NUL. */
static const char *cw_stash_key(cw_object *o)
{
	const char *version = o->document->conversion->to, *bare = cw_bare_version(version);
	return cw_format(o, "conversion.%.*s/stash", bare > version ? (int)(bare - version - 1) : 0, version).at;
}

/* Returns the layers in the text of a stash's annotation; NULL if it has none. */
static cw_value *cw_layers(cw_object *o, cw_str text)
{
	cw_value *layers = text.len ? cw_open_json(o, text) : NULL;
	return cw_typeof(layers) == CW_OBJECT ? layers : NULL;
}

int cw_hash_for(cw_object *o, cw_str taken, uint64_t *hash)
{
	cw_str pointer, key;
	if (!taken.at) {
		*hash = cw_hash_of(o, 1);
		return cw_typeof(o) == CW_OBJECT;
	}
	cw_value *list = cw_open_json(o, taken);
	if (cw_typeof(list) != CW_ARRAY)
		return 0;
	uint64_t h = cw_fnv(cw_fnv_start, "a", 1);
	for (cw_value *e = cw_first(list); e; e = cw_next(e)) {
		if (cw_typeof(e) != CW_STRING || cw_string(e, NULL, &pointer) <= 0)
			return 0;
		cw_str rest = pointer;
		if (!cw_cut_token(&rest, &key))
			return 0;
		h = cw_fnv_word(h, cw_hash(cw_at(o, pointer)));
	}
	*hash = cw_mix(h);
	return 1;
}

/* Appends 16 hexadecimal digits. */
static void cw_add_hex(cw_text *t, uint64_t h)
{
	for (int i = 60; i >= 0; i -= 4)
		cw_add_byte(t, "0123456789abcdef"[h >> i & 15]);
}

static int cw_same_text(cw_str a, cw_str b)
{
	return !a.at == !b.at && a.len == b.len && cw_equal(a.at, b.at, a.len);
}

/* Appends the member "set" or "gone" of the parcel that begins with first. */
static void cw_add_parts(cw_text *t, const cw_kept *first, int gone)
{
	int some = 0;
	for (const cw_kept *k = first; k; k = k->next) {
		if (gone == (k->value.at != NULL) || !cw_same_text(k->taken, first->taken))
			continue;
		cw_add_string(t, some ? "," : gone ? ",\"gone\":[" : ",\"set\":{");
		cw_quote(t, k->pointer.at, k->pointer.len);
		if (!gone) {
			cw_add_byte(t, ':');
			cw_add(t, k->value.at, k->value.len);
		}
		some = 1;
	}
	if (some)
		cw_add_byte(t, gone ? ']' : '}');
}

/* Appends what was kept, what was taken for the same in one parcel, with its hash in the converted object. */
static void cw_add_parcels(cw_text *t, cw_object *converted)
{
	for (cw_kept *first = converted->document->keeper->first; first; first = first->next) {
		cw_kept *before = converted->document->keeper->first;
		while (!cw_same_text(before->taken, first->taken))
			before = before->next;
		if (before != first)
			continue; /* it is in an earlier parcel */
		uint64_t hash = 0;
		cw_hash_for(converted, first->taken, &hash);
		cw_add_string(t, before == converted->document->keeper->first ? "{" : ",{");
		if (first->taken.at) {
			cw_add_string(t, "\"for\":");
			cw_add(t, first->taken.at, first->taken.len);
			cw_add_byte(t, ',');
		}
		cw_add_string(t, "\"hash\":\"");
		cw_add_hex(t, hash);
		cw_add_byte(t, '"');
		cw_add_parts(t, first, 0);
		cw_add_parts(t, first, 1);
		cw_add_byte(t, '}');
	}
}

/* Puts the stash into the object, which is converted otherwise. */
static void cw_write_stash(cw_object *o)
{
	const cw_conversion *c = o->document->conversion;
	cw_keeper *k = o->document->keeper;
	cw_str from = cw_bare(c->from), to = cw_bare(c->to), text = {"", 0}, raw;
	if ((!k->first && !k->restoring) || cw_refused(o))
		return;
	const char *name = cw_stash_key(o);
	if (!cw_shown(o, "metadata.annotations") && !cw_shown(o, cw_format(o, "metadata.annotations['%s']", name).at)) {
		cw_refuse(o, "the module declares fields, and keeps a stash: it has to declare metadata.annotations['%s'] too (CW_MODULE_FIELDS)", name);
		return;
	}
	if (cw_typeof(cw_get(o, "metadata")) != CW_OBJECT)
		return;
	text = cw_text_at(cw_get(cw_get(o, "metadata"), "annotations"), name);
	cw_text t = {NULL, 0, 0, 0};
	cw_add_byte(&t, '{');
	for (cw_value *layer = cw_first(cw_layers(o, text)); layer; layer = cw_next(layer)) {
		cw_str key = cw_key(layer);
		if (cw_same_text(key, from) || cw_same_text(key, to) || !cw_raw(layer, NULL, &raw))
			continue;
		if (t.len > 1)
			cw_add_byte(&t, ',');
		cw_quote(&t, key.at, key.len);
		cw_add_byte(&t, ':');
		cw_add(&t, raw.at, raw.len);
	}
	if (k->first) {
		if (t.len > 1)
			cw_add_byte(&t, ',');
		cw_quote(&t, from.at, from.len);
		cw_add_string(&t, ":{\"in\":");
		cw_quote(&t, to.at, to.len);
		cw_add_string(&t, ",\"kept\":[");
		cw_add_parcels(&t, o);
		cw_add_string(&t, "]}");
	}
	cw_add_byte(&t, '}');
	cw_str all = cw_result(o->document, t);
	if (all.len > CW_STASH_MAX) {
		cw_text why = {NULL, 0, 0, 0};
		cw_add(&why, to.at, to.len);
		cw_add_string(&why, " cannot hold this object: what it has no place for needs ");
		cw_add_int(&why, all.len);
		cw_add_string(&why, " bytes in the annotation ");
		cw_add_string(&why, name);
		cw_add_string(&why, ", which may have ");
		cw_add_int(&why, CW_STASH_MAX);
		cw_fail(o->document, why);
	} else if (all.len > 2) {
		cw_set_annotation(o, name, all);
	} else {
		cw_delete_annotation(o, name);
	}
}

/* ---- putting back ------------------------------------------------------------------------------------------------------ */

enum { CW_LOG_INFO = 1, CW_LOG_WARN = 2 };

/* Names the object for the log: "Kind namespace/name". */
static cw_str cw_title(cw_object *o)
{
	cw_value *metadata = cw_get(o, "metadata");
	cw_str kind = cw_text_at(o, "kind"), space = cw_text_at(metadata, "namespace"), name = cw_text_at(metadata, "name");
	return cw_format(o, "%.*s %.*s%s%.*s", CW_ARG(kind), CW_ARG(space), space.len ? "/" : "", CW_ARG(name));
}

/* Logs that the stash was dropped, and why. */
static void cw_drop(cw_object *o, int level, const char *why)
{
	cw_str title = cw_title(o);
	cw_log(level, cw_format(o, "the stash of %.*s %s, and was dropped", CW_ARG(title), why));
}

/* Finds out which parcels of a layer are fresh. */
static void cw_find_fresh(cw_object *o, cw_value *kept)
{
	cw_keeper *k = o->document->keeper;
	for (cw_value *parcel = cw_first(kept); parcel; parcel = cw_next(parcel)) {
		cw_str taken = {NULL, 0}, title;
		uint64_t hash;
		cw_raw(parcel, "for", &taken);
		if (!cw_hash_for(o, taken, &hash)) {
			title = cw_title(o);
			cw_log(CW_LOG_WARN, cw_format(o, "the stash of %.*s has a parcel that is malformed, which was dropped", CW_ARG(title)));
			continue;
		}
		cw_text t = {NULL, 0, 0, 0};
		cw_add_hex(&t, hash);
		cw_fresh *fresh = (cw_fresh *)cw_alloc(sizeof *fresh);
		if (!fresh || t.failed) {
			cw_fail_memory(o->document);
			return;
		}
		if (!cw_same_text(cw_result(o->document, t), cw_text_at(parcel, "hash"))) {
			cw_str from = cw_bare(o->document->conversion->from), to = cw_bare(o->document->conversion->to);
			title = cw_title(o);
			cw_log(CW_LOG_INFO, cw_format(o, "%.*s was changed in %.*s: what was kept for %.*s is stale, and was dropped", CW_ARG(title),
				CW_ARG(from), CW_ARG(to)));
			continue;
		}
		fresh->next = NULL;
		fresh->parcel = parcel;
		*k->fresh_last = fresh;
		k->fresh_last = &fresh->next;
	}
}

int cw_restore(cw_object *o)
{
	cw_document *d = o->document;
	cw_str text;
	cw_keeper *k = cw_keeper_of(d);
	if (!k || k->restoring)
		return d->error.at ? -1 : 0;
	k->restoring = 1;
	cw_value *annotation = cw_get(cw_get(cw_get(o, "metadata"), "annotations"), cw_stash_key(o));
	if (cw_typeof(annotation) != CW_STRING || cw_string(annotation, NULL, &text) <= 0)
		return d->error.at ? -1 : 0; /* nothing in an annotation refuses an object */
	cw_value *layers = cw_layers(o, text), *layer = cw_find_text(layers, cw_bare(d->conversion->to));
	if (!layers) {
		cw_drop(o, CW_LOG_WARN, "is no JSON object");
	} else if (cw_typeof(layer) > CW_NULL) {
		cw_str in = cw_text_at(layer, "in"), from = cw_bare(d->conversion->from);
		cw_value *kept = cw_get(layer, "kept");
		if (!cw_same_text(in, from)) {
			cw_str quoted = cw_quoted(o, in);
			cw_drop(o, CW_LOG_INFO, cw_format(o, "was taken in %.*s, not in %.*s", CW_ARG(quoted), CW_ARG(from)).at);
		} else if (cw_typeof(kept) != CW_ARRAY) {
			cw_drop(o, CW_LOG_WARN, "has no list of what was kept");
		} else {
			cw_find_fresh(o, kept);
		}
	}
	return d->error.at ? -1 : 0;
}

/* Puts back what was found fresh, into the converted object, once. */
static void cw_put_back(cw_object *o)
{
	cw_keeper *k = o->document->keeper;
	for (cw_fresh *f = k->fresh; f; f = f->next) {
		cw_value *set = cw_get(f->parcel, "set"), *gone = cw_get(f->parcel, "gone");
		for (cw_value *m = cw_typeof(set) == CW_OBJECT ? cw_first(set) : NULL; m; m = cw_next(m)) {
			cw_str pointer = cw_key(m), value = {"", 0};
			cw_raw(m, NULL, &value);
			if (!cw_restorable(pointer) || cw_set_at(o, pointer, value))
				continue;
			cw_str title = cw_title(o), to = cw_bare(o->document->conversion->to);
			cw_log(CW_LOG_INFO, cw_format(o, "%.*s has no place for %.*s any more, which was kept for %.*s, and was dropped", CW_ARG(title),
				CW_ARG(pointer), CW_ARG(to)));
		}
		for (cw_value *e = cw_typeof(gone) == CW_ARRAY ? cw_first(gone) : NULL; e; e = cw_next(e)) {
			cw_str pointer = cw_text_at(e, NULL);
			cw_value *c = cw_restorable(pointer) ? cw_at(o, pointer) : NULL;
			if (c && c->parent && *c->parent->at == '{')
				cw_detach(c);
		}
	}
	k->fresh = NULL;
	k->fresh_last = &k->fresh;
}

static void cw_end_stash(cw_object *o)
{
	cw_put_back(o);
	cw_write_stash(o);
}

/* ---- lossless ---------------------------------------------------------------------------------------------------------- */

/* Two objects, or arrays of the same length, that are being compared, within others. */
typedef struct cw_comparing {
	struct cw_comparing *outer;
	cw_value *was, *again;         /* both of them */
	cw_value *child, *other;       /* the next one of was; and of again: its element, or what of it may be new */
	uint32_t index, pointer_len;
	int new_ones;                  /* all of was is done: what only again has comes next */
} cw_comparing;

static cw_comparing *cw_compare(cw_comparing *outer, cw_value *was, cw_value *again, uint32_t pointer_len)
{
	cw_comparing *c = (cw_comparing *)cw_alloc(sizeof *c);
	if (!c) {
		cw_fail_memory(was->document);
		return outer;
	}
	c->outer = outer;
	c->was = was;
	c->again = again;
	c->child = cw_first(was);
	c->other = cw_first(again);
	c->index = 0;
	c->pointer_len = pointer_len;
	c->new_ones = 0;
	return c;
}

static uint32_t cw_children(cw_value *v)
{
	uint32_t n = 0;
	for (cw_value *c = cw_first(v); c; c = cw_next(c))
		n++;
	return n;
}

static int cw_alike(cw_value *a, cw_value *b)
{
	cw_str x = {"", 0}, y = {"", 0};
	cw_raw(a, NULL, &x);
	cw_raw(b, NULL, &y);
	return cw_same_text(x, y);
}

/* Copies a pointer, which goes on growing, and keeps what is there, or that nothing was. */
static void cw_keep_difference(cw_document *d, const cw_text *pointer, cw_value *value)
{
	cw_text copy = {NULL, 0, 0, 0};
	cw_str all = {NULL, 0}, raw = {NULL, 0};
	cw_add(&copy, pointer->at, pointer->len);
	if (value)
		cw_raw(value, NULL, &raw);
	cw_keep_at(d, all, cw_result(d, copy), raw);
}

/* Keeps in d what differs between two objects. */
static void cw_keep_differences(cw_document *d, cw_value *was, cw_value *again)
{
	cw_text pointer = {NULL, 0, 0, 0};
	cw_comparing *top = cw_compare(NULL, was, again, 0);
	while (top && !d->error.at) {
		cw_value *a = top->new_ones ? top->other : top->child;
		int object = cw_typeof(top->was) == CW_OBJECT;
		if (!a) {
			if (object && !top->new_ones)
				top->new_ones = 1;
			else
				top = top->outer;
			continue;
		}
		pointer.len = top->pointer_len;
		cw_str at, key = cw_key(a);
		if (object)
			cw_add_token(&pointer, key);
		else
			cw_add_index(&pointer, top->index++);
		at.at = pointer.at;
		at.len = pointer.len;
		if (top->new_ones) {
			top->other = cw_next(a);
			if (cw_typeof(a) != CW_NULL && !cw_find_text(top->was, key) && cw_restorable(at))
				cw_keep_difference(d, &pointer, NULL); /* invented by the conversion back */
			continue;
		}
		cw_value *b = object ? cw_find_text(top->again, key) : top->other;
		if (!object)
			top->other = cw_next(top->other);
		top->child = cw_next(a);
		if (!cw_restorable(at))
			continue;
		if (cw_typeof(b) <= CW_NULL) {
			if (cw_typeof(a) != CW_NULL)
				cw_keep_difference(d, &pointer, a);
		} else if (cw_alike(a, b)) {
			continue;
		} else if (cw_typeof(a) == cw_typeof(b) && (cw_typeof(a) == CW_OBJECT || (cw_typeof(a) == CW_ARRAY && cw_children(a) == cw_children(b)))) {
			top = cw_compare(top, a, b, pointer.len);
		} else if (cw_hash(a) != cw_hash(b)) {
			cw_keep_difference(d, &pointer, a);
		}
	}
	if (pointer.failed)
		cw_fail_memory(d);
}

int cw_lossless(cw_object *o, int (*convert)(cw_object *o), int (*back)(cw_object *o))
{
	cw_document *d = o->document;
	cw_str text = {"", 0};
	if (cw_restore(o) < 0 || convert(o) < 0 || d->error.at)
		return -1;
	if (!cw_keeper_of(d))
		return d->error.at ? -1 : 0;
	cw_put_back(o);
	cw_set_string(o, "apiVersion", d->conversion->to);
	cw_raw(o, NULL, &text);
	cw_value *again = d->error.at ? NULL : cw_open_copy(o, text);
	cw_document *original = (cw_document *)cw_alloc(sizeof *original);
	cw_value *was = original ? cw_open_document(original, d->text, d->end) : NULL;
	if (!was || !again) {
		cw_fail_memory(d);
		return -1;
	}
	cw_current = again->document; /* what goes wrong in the conversion back is no fault of o */
	int refused = back(again) < 0 || again->document->error.at;
	cw_current = d;
	if (refused) {
		cw_str title = cw_title(o), from = cw_bare(d->conversion->from);
		cw_log(CW_LOG_WARN, cw_format(o, "%.*s cannot be converted back to %.*s, so nothing was kept for it", CW_ARG(title), CW_ARG(from)));
		return 0;
	}
	cw_keep_differences(d, was, again);
	return d->error.at ? -1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_IMPLEMENTED */
