/* rules.c - the interpreter of declarative rules: a converter module without rules. `crosswalk compile` adds the rules of one kind
 * to a copy of it (program.h has their format).
 *
 * The packer has checked the rules and derived the operations of both directions, so this only does one after the other. */
#define CROSSWALK_IMPLEMENTATION
#define CW_SDK "\"language\":\"rules\",\"sdk\":\"crosswalk-rules/1.0.0\""
#define CWI_TABLE /* the tables of the module are set at start */
#define CWI_HEAP_START ((char *)(uintptr_t)crosswalk_rules[1])
#include <stdint.h>
volatile uint32_t crosswalk_rules[2];
#include "../c/crosswalk.h"
#include "../c/crosswalk_helpers.h"
#include "../c/crosswalk_stash.h"

#include "partsobject.h"

/* ---- values ------------------------------------------------------------------------------------------------------------ */

/* A value in the rules: {kind, text}. The text of a string is unescaped, that of others is JSON. */
static int is_value(cw_value *v, uint32_t kind, ref text)
{
	cw_str s, want = str(text);
	if ((uint32_t)cw_typeof(v) != kind)
		return 0;
	if (kind == CW_STRING)
		return cw_string(v, NULL, &s) > 0 && s.len == want.len && cwi_equal(s.at, want.at, s.len);
	if (kind == CW_BOOL || kind == CW_NULL)
		return cw_raw(v, NULL, &s) > 0 && s.len == want.len && cwi_equal(s.at, want.at, s.len);
	cw_value *other = cwi_open_copy(v->document->root, want);
	return other && cw_hash(v) == cw_hash(other); /* 1 is 1.0, and members have no order */
}

static int set_value(cw_value *v, const char *k, uint32_t kind, ref text)
{
	return kind == CW_STRING ? cw_set_str(v, k, str(text)) : cw_set_raw(v, k, str(text));
}

/* {path, negate, number of values, {kind, text}…, a condition that must hold, too, or 0}; without values: whether there is one at all. */
static int holds(cw_value *v, ref condition)
{
	const char *k;
	cw_value *parent = holder(v, word(condition, 0), &k), *c = cw_typeof(parent) == CW_OBJECT || !k ? cw_get(parent, k) : NULL;
	uint32_t n = word(condition, 2);
	int found = !n && c;
	for (uint32_t i = 0; i < n && c && !found; i++)
		found = is_value(c, word(condition, 3 + 2 * i), word(condition, 4 + 2 * i));
	ref and = word(condition, 3 + 2 * n);
	return found != (int)word(condition, 1) && (!and || holds(v, and));
}

#include "lookup.h"

static const char *const type_words[] = {"a value", "a string", "an integer", "a number", "a boolean", "a string", "a string", "an object", "an array"};

/* Returns 0 if the value has the type, otherwise -1. */
static int check_type(cw_value *v, uint32_t type)
{
	static const cw_type of[] = {CW_ABSENT, CW_STRING, CW_NUMBER, CW_NUMBER, CW_BOOL, CW_STRING, CW_STRING, CW_OBJECT, CW_ARRAY};
	if (type == TYPE_ANY || cw_typeof(v) == of[type])
		return 0;
	return cwi_wrong(v, type_words[type]);
}

static cw_str raw_of(cw_value *v)
{
	cw_str raw = {"null", 4};
	cw_raw(v, NULL, &raw);
	return raw;
}

/* ---- operations -------------------------------------------------------------------------------------------------------- */

static int move(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k);
	cw_str raw;
	uint32_t n = keys(op->a);
	if (!parent || !cw_raw(parent, k, &raw))
		return 0; /* the objects on the way are not made for nothing */
	cw_value *to = make(v, op->a);
	if (!to || cw_move(parent, k, to, key(op->a, n - 1)) < 0)
		return -1;
	clean(v, op->path, op->b);
	return 0;
}

/* Replaces a value by its partner in the table: {number, {kind, text, kind, text}…}; kind 0 is an absent value. */
static int translate(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *c = cw_get(parent, k);
	uint32_t n = word(op->a, 0), here = op->b ? 2 : 0, there = op->b ? 0 : 2, common = CW_ABSENT;
	if (!c && (!parent || cwi_find(parent, k)))
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t kind = word(op->a, 1 + 4 * i + here), to = word(op->a, 1 + 4 * i + there);
		ref text = word(op->a, 2 + 4 * i + here), to_text = word(op->a, 2 + 4 * i + there);
		if (kind != CW_ABSENT)
			common = common == CW_ABSENT || common == kind ? kind : CW_NULL;
		if (c ? !is_value(c, kind, text) : kind != CW_ABSENT)
			continue;
		if (!c && (cw_typeof(parent) != CW_OBJECT || cw_is_fragment(v)))
			return 0;
		if (op->e && shares_partner(op->a, i, here, there))
			keep_or_note(parent, k, op->e); /* the partner comes back as the value of the earlier pair */
		if (to == CW_ABSENT)
			return cw_remove(parent, k) < 0 ? -1 : 0;
		if (c && is_value(c, to, to_text))
			return 0;
		return set_value(parent, k, to, to_text);
	}
	if (!c)
		return 0;
	for (uint32_t i = 0; i < n && op->d; i++)
		if (word(op->a, 1 + 4 * i + there) != CW_ABSENT && is_value(c, word(op->a, 1 + 4 * i + there), word(op->a, 2 + 4 * i + there))) {
			keep(parent, k, op->d); /* it would come back as the partner of another value */
			break;
		}
	if (common > CW_NULL && (uint32_t)cw_typeof(c) != common)
		return cwi_wrong(c, common == CW_STRING ? "a string" : common == CW_BOOL ? "a boolean" : "a number");
	return op->c ? refuse(parent, k, op->c, cw_typeof(c) == CW_STRING ? cw_quoted(c, cwi_text_at(c, NULL)) : raw_of(c), 0) : 0;
}

/* Reads the value at k of v as a count of nanoseconds for durations, of the other side's unit for quantities, of the unit for numbers. */
static int convert_value(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k);
	uint32_t from = op->a, to = op->b, from_unit = op->c, to_unit = op->d;
	cw_str text = {"", 0};
	int64_t n = 0, whole;
	count c = {0, 0, 0};
	int found, truth = 0;
	switch (from) {
	case TYPE_INTEGER: found = cw_int(parent, k, &n); break;
	case TYPE_BOOLEAN: found = cw_bool(parent, k, &truth); break;
	case TYPE_NUMBER:
		found = cw_get(parent, k) ? check_type(cw_get(parent, k), from) < 0 ? -1 : 1 : cw_refused(v) ? -1 : 0;
		if (found > 0)
			cw_raw(parent, k, &text);
		break;
	default: found = cw_string(parent, k, &text);
	}
	if (found <= 0)
		return found;
	cwi_text t = {NULL, 0, 0, 0}, back = {NULL, 0, 0, 0};
	int good = 1, exact = 1;
	switch (from) {
	case TYPE_STRING:
		if (to == TYPE_BOOLEAN) {
			good = cw_is(text, "true") || cw_is(text, "false");
			cwi_add(&t, text.at, text.len);
		} else if (to == TYPE_NUMBER) {
			cw_value *number = text.len ? cwi_open_json(v, text) : NULL;
			good = cw_typeof(number) == CW_NUMBER && !is_space(text.at[0]) && !is_space(text.at[text.len - 1]);
			cwi_add(&t, text.at, text.len);
			exact = is_plain_number(text);
		} else {
			good = read_integer(text, &n);
			cwi_add_int(&t, n);
			exact = cwi_same_text(cwi_result(v->document, t), text);
		}
		break;
	case TYPE_QUANTITY:
	case TYPE_DURATION:
		good = from == TYPE_QUANTITY ? read_quantity(text, from_unit, &c) : read_duration(text, &c);
		if (good && from == TYPE_DURATION && to == TYPE_INTEGER)
			divide(&c, duration_units[to_unit].nanoseconds);
		good = good && rounded(&c, &n) && (!c.inexact || op->g != INEXACT_REFUSE);
		if (from == TYPE_QUANTITY)
			add_quantity(&back, n, from_unit);
		else if (whole = n, to == TYPE_INTEGER && !multiply_signed(&whole, duration_units[to_unit].nanoseconds))
			good = 0; /* it was rounded beyond the longest duration */
		else
			add_duration(&back, whole);
		exact = cwi_same_text(cwi_result(v->document, back), text);
		break;
	case TYPE_BOOLEAN:
		cwi_add_string(&t, truth ? "true" : "false");
		break;
	case TYPE_NUMBER:
		cwi_add(&t, text.at, text.len);
		break;
	case TYPE_API_VERSION:
		good = group_of(text, op->i, &t, &exact) && (exact || op->g != INEXACT_REFUSE);
		break;
	case TYPE_API_GROUP:
		good = add_api_version(&t, text, op->i);
		break;
	case TYPE_INTEGER:
		if (to != TYPE_INTEGER)
			break;
		c.negative = n < 0;
		c.n = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
		good = recount(&c, (int)op->h, from_unit, to_unit) && (exact = !c.inexact, rounded(&c, &n)) && (exact || op->g != INEXACT_REFUSE);
		good = good && recount(&c, (int)op->h, to_unit, from_unit) && signed_count(c.n, c.negative, &whole); /* it was not rounded beyond the largest */
		break;
	}
	if (!good)
		return from == TYPE_INTEGER ? refuse(parent, k, op->f, raw_of(cw_get(parent, k)), 0) : refuse_text(parent, k, op->f, text, 0);
	if (from == TYPE_INTEGER && to == TYPE_DURATION) {
		if (!multiply_signed(&n, duration_units[from_unit].nanoseconds))
			return refuse(parent, k, op->f, raw_of(cw_get(parent, k)), 0);
	}
	if (to == TYPE_DURATION)
		add_duration(&t, n);
	else if (to == TYPE_QUANTITY)
		add_quantity(&t, n, to_unit);
	else if (from == TYPE_INTEGER || from == TYPE_QUANTITY || from == TYPE_DURATION)
		cwi_add_int(&t, n);
	if (!exact && op->e && op->g == INEXACT_STASH)
		keep(parent, k, op->e);
	cw_str out = cwi_result(v->document, t);
	int quoted = to == TYPE_STRING || to == TYPE_QUANTITY || to == TYPE_DURATION || to >= TYPE_API_VERSION;
	return quoted ? cw_set_str(parent, k, out) : cw_set_raw(parent, k, out);
}

/* A value becomes a list of it, with the other elements that the annotation kept. */
static int wrap(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *c = cw_get(parent, k), *list;
	cw_str kept, s;
	int more = op->b ? cw_annotation(v, chars(op->b), &kept) : 0;
	if (more < 0 || cw_refused(v))
		return -1;
	if (more)
		cw_remove_annotation(v, chars(op->b));
	if (!c)
		return cw_remove(parent, k) < 0 ? -1 : 0;
	if (check_type(c, op->a) < 0)
		return -1;
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, '[');
	if (cw_typeof(c) == CW_STRING) {
		if (cw_string(c, NULL, &s) <= 0)
			return -1;
		cwi_quote(&t, s.at, s.len);
	} else {
		s = raw_of(c);
		cwi_add(&t, s.at, s.len);
	}
	if (more) {
		cw_value *root = cwi_open_copy(v, kept), *e;
		if (!root)
			return -1;
		int found = cw_list(root, chars(op->c), &list);
		for (e = found > 0 ? cw_first(list) : NULL; e && !cw_refused(root); e = cw_next(e)) {
			if (check_type(e, op->a) < 0)
				break;
			cwi_add_byte(&t, ',');
			s = raw_of(e);
			cwi_add(&t, s.at, s.len);
		}
		cwi_finish(root);
		if (cw_refused(root)) {
			cw_str where = cw_location(cw_make(cw_make(v, "metadata"), "annotations"), chars(op->b)), why = root->document->error;
			return cwi_fail_with(v, "%.*s: %.*s", CW_ARG(where), CW_ARG(why));
		}
	}
	cwi_add_byte(&t, ']');
	return cwi_put_text(parent, k, t) < 0 ? -1 : 0;
}

static int unwrap(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *list, *e, *first = NULL;
	int found = cw_list(parent, k, &list);
	uint32_t n = 0;
	cw_str s;
	if (found < 0)
		return -1;
	cwi_text t = {NULL, 0, 0, 0}, rest = {NULL, 0, 0, 0};
	if (op->b) {
		cwi_add_byte(&rest, '{');
		cwi_quote(&rest, chars(op->c), str(op->c).len);
		cwi_add_string(&rest, ":[");
	}
	for (e = found ? cw_first(list) : NULL; e; e = cw_next(e), n++) {
		if (check_type(e, op->a) < 0)
			return -1;
		if (!n) {
			first = e;
			continue;
		}
		if (n > 1)
			cwi_add_byte(&rest, ',');
		if (cw_typeof(e) == CW_STRING && cw_string(e, NULL, &s) > 0) {
			cwi_quote(&rest, s.at, s.len);
		} else {
			s = raw_of(e);
			cwi_add(&rest, s.at, s.len);
		}
	}
	cwi_add_string(&rest, "]}");
	if (found && (n != 1 || cw_typeof(first) == CW_NULL) && !op->b && op->d)
		keep(parent, k, op->d); /* one value does not say all of it */
	if (op->b && n > 1)
		cw_set_annotation(v, chars(op->b), cwi_result(v->document, rest));
	else if (op->b)
		cw_remove_annotation(v, chars(op->b));
	if (!first)
		return cw_remove(parent, k) < 0 ? -1 : 0;
	if (cw_typeof(first) == CW_STRING && cw_string(first, NULL, &s) > 0) {
		cwi_quote(&t, s.at, s.len);
	} else {
		s = raw_of(first);
		cwi_add(&t, s.at, s.len);
	}
	return cwi_put_text(parent, k, t) < 0 ? -1 : 0;
}

static int nest(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *c = k ? cw_get(parent, k) : v;
	static const cw_str object = {"{}", 2};
	cw_str raw, s = {"", 0};
	if (!c || check_type(c, op->b) < 0)
		return c ? -1 : 0;
	int text = cw_typeof(c) == CW_STRING && cw_string(c, NULL, &s) > 0;
	raw = raw_of(c);
	if (cw_set_raw(c, NULL, object) < 0)
		return -1;
	return text ? cw_set_str(c, chars(op->a), s) : cw_set_raw(c, chars(op->a), raw);
}

static int unnest(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *c = k ? cw_get(parent, k) : v, *inner;
	cw_str s = {"", 0};
	if (!c)
		return 0;
	if (!op->c && check_type(c, TYPE_OBJECT) < 0)
		return -1;
	inner = cw_get(c, chars(op->a));
	if (cw_refused(c))
		return -1;
	if (op->d && (!inner ? cw_typeof(c) == CW_OBJECT && !op->c : cw_next(cw_first(c)) != NULL))
		keep(c, NULL, op->d); /* the value does not say all of it */
	if (!inner)
		return !op->c ? cw_remove(c, NULL) : refuse(c, chars(op->a), op->c, s, 0);
	if (check_type(inner, op->b) < 0)
		return -1;
	if (cw_typeof(inner) == CW_STRING && cw_string(inner, NULL, &s) > 0)
		return cw_set_str(c, NULL, s);
	return cw_set_raw(c, NULL, raw_of(inner));
}

/* Gives a value that only one of the versions has: not in fragments, and not where the object around it is absent. */
static int constant(cw_value *v, const operation *op, int replace)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *original = op->b ? walk(v, op->b, keys(op->b)) : NULL;
	cw_str s;
	if (cw_typeof(parent) != CW_OBJECT || cw_is_fragment(v) || (!replace && cw_get(parent, k)) || (op->b && !original))
		return 0;
	if (original && cw_typeof(original) == CW_STRING && cw_string(original, NULL, &s) > 0)
		return cw_set_str(parent, k, s);
	return cw_set_raw(parent, k, original ? raw_of(original) : str(op->a));
}

/* Stashes a value that the other version does not have. A copy of another field's value goes; the stash notes that one is absent. */
static int stash_field(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *original = op->b ? walk(v, op->b, keys(op->b)) : NULL, *c = cw_get(parent, k);
	if (original && c && cw_hash(original) == cw_hash(c))
		return cw_remove(parent, k) < 0 ? -1 : 0;
	if (original && cw_typeof(parent) == CW_OBJECT && !cwi_find(parent, k))
		keep_or_note(parent, k, op->a);
	return stash(parent, k, op->a);
}

/* Reports whether an object has no other members than these. */
static int only(cw_value *v, ref list)
{
	for (cw_value *c = cw_first(v); c; c = cw_next(c)) {
		cw_str name = cw_key(c);
		uint32_t i = 0, n = word(list, 0);
		while (i < n && !cwi_same_text(name, str(word(list, 1 + i))))
			i++;
		if (i == n)
			return 0;
	}
	return 1;
}

static int no_constant(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *c = cw_get(parent, k), *usual;
	if (!c)
		return cw_remove(parent, k) < 0 ? -1 : 0;
	usual = cwi_open_copy(v, str(op->a));
	if (usual && cw_hash(usual) == cw_hash(c) && !(op->c && only(parent, op->c)))
		return cw_remove(parent, k) < 0 ? -1 : 0;
	return stash(parent, k, op->b) < 0 ? -1 : 0;
}

static int is_empty(cw_value *v)
{
	return cw_typeof(v) == CW_OBJECT && !cw_first(v);
}

/* Remembers an empty object, which the other version does not have, or fills. */
static int note_empty(cw_value *v, const operation *op)
{
	cw_value *c = walk(v, op->path, keys(op->path));
	int noted = is_empty(c) && !op->b;
	for (uint32_t i = 0; is_empty(c) && !noted && i < word(op->b, 0); i++) {
		ref path = word(op->b, 1 + i);
		noted = walk(v, path, keys(path)) != NULL;
	}
	if (noted)
		keep(c, NULL, op->a);
	return 0;
}

/* Keeps a list that becomes a map if its keys are not sorted by their bytes: an API server sorts the members of a map. */
static int note_order(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *list = cw_get(parent, k);
	cw_str last = {"", 0}, name;
	for (cw_value *e = cw_typeof(list) == CW_ARRAY ? cw_first(list) : NULL; e; e = cw_next(e)) {
		if (cw_typeof(e) != CW_OBJECT || cw_typeof(cw_get(e, chars(op->a))) != CW_STRING || cw_string(e, chars(op->a), &name) <= 0)
			return 0; /* the list does not become a map */
		uint32_t n = name.len < last.len ? name.len : last.len, i = 0;
		while (i < n && name.at[i] == last.at[i])
			i++;
		if (i < n ? (uint8_t)name.at[i] < (uint8_t)last.at[i] : name.len < last.len) {
			keep(parent, k, op->b);
			return 0;
		}
		last = name;
	}
	return 0;
}

static int list_from_map(cw_value *v, const operation *op)
{
	const char *k, *value = op->b ? chars(op->b) : NULL;
	cw_value *parent = holder(v, op->path, &k);
	int done = cw_list_from_map(parent, k, chars(op->a), value);
	for (cw_value *e = done > 0 && op->c ? cw_first(cw_get(parent, k)) : NULL; e; e = cw_next(e))
		if (!cw_get(e, value))
			cw_remove(e, value);
	return done;
}

static int map_from_list(cw_value *v, const operation *op)
{
	static const cw_str null = {"null", 4};
	const char *k, *value = op->b ? chars(op->b) : NULL;
	cw_value *parent = holder(v, op->path, &k), *list = op->c ? cw_get(parent, k) : NULL;
	for (cw_value *e = cw_typeof(list) == CW_ARRAY ? cw_first(list) : NULL; e; e = cw_next(e))
		if (cw_typeof(e) == CW_OBJECT && !cwi_find(e, value))
			cw_set_raw(e, value, null);
	return cw_map_from_list(parent, k, chars(op->a), value);
}

/* Restores what the stash holds, but nothing within these members of the object that a client has deleted. */
static int restore(cw_value *v, const operation *op)
{
	cwi_keeper *keeper;
	if (cw_restore(v) < 0)
		return -1;
	keeper = v->document->keeper;
	for (uint32_t i = 0; op->a && keeper && i < word(op->a, 0); i++) {
		cw_str member = str(word(op->a, 1 + i));
		if (cw_get(v, member.at))
			continue;
		for (cwi_fresh *f = keeper->fresh; f; f = f->next) {
			cw_value *next, *m = cw_get(f->parcel, "set");
			for (m = cw_typeof(m) == CW_OBJECT ? cw_first(m) : NULL; m; m = next) {
				cw_str rest = cw_key(m), first;
				next = cw_next(m);
				if (cwi_cut_token(&rest, &first) && rest.len && cwi_same_text(first, member))
					cwi_detach(m);
			}
		}
	}
	return 0;
}

static int run(cw_value *v, ref r);

static int each(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *list = NULL;
	int found = op->b ? cw_map(parent, k, &list) : cw_list(parent, k, &list);
	for (cw_value *e = found > 0 ? cw_first(list) : NULL; e; e = cw_next(e))
		if (run(e, op->a) < 0)
			return -1;
	return found;
}

/* Removes the elements that the other version cannot have, or, on the way back (d), looks for elements that would be removed then. If
 * there are any, the stash keeps the whole list, and nothing of its elements: they have other places in the other version. */
static int skip(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent = holder(v, op->path, &k), *list = NULL;
	cw_str raw = {"", 0};
	cwi_text at = {NULL, 0, 0, 0};
	int found = cw_list(parent, k, &list), some = 0;
	if (found <= 0)
		return found;
	cwi_keeper *keeper = cwi_keeper_of(v->document);
	if (!keeper)
		return -1;
	cwi_kept **last = keeper->last;
	cw_raw(list, NULL, &raw);
	cwi_add_pointer(&at, list);
	for (cw_value *e = cw_first(list); e && !op->d; e = cw_next(e))
		if (holds(e, op->a) && ++some && cw_remove(e, NULL) < 0)
			return -1;
	for (cw_value *e = op->c ? cw_first(list) : NULL; e; e = cw_next(e))
		if (run(e, op->c) < 0)
			return -1;
	for (cw_value *e = cw_first(list); e && op->d; e = cw_next(e))
		some |= holds(e, op->a);
	if (some) {
		keeper->last = last;
		*last = NULL;
		cwi_keep_at(v->document, pointers(v, op->b), cwi_result(v->document, at), raw);
	}
	return 0;
}

/* Performs a block. If it refuses the object, the values that it reads are as before, and move to the stash. */
static int attempt(cw_value *v, const operation *op)
{
	static const char malformed[] = "the object is not valid JSON";
	cwi_document *d = v->document;
	cwi_keeper *keeper = cwi_keeper_of(d);
	cw_str was[MAX_PARTS];
	const char *k;
	if (!keeper)
		return -1;
	cwi_kept **last = keeper->last;
	for (uint32_t i = 0; i < word(op->c, 0); i++) {
		cw_value *parent = holder(v, word(op->c, 1 + i), &k);
		if (!parent || !cw_raw(parent, k, &was[i]))
			was[i].at = NULL;
	}
	if (d->error.at || (run(v, op->a) >= 0 && !d->error.at))
		return d->error.at ? -1 : 0;
	if (d->error.at == cwi_no_memory.at || (d->error.len >= sizeof malformed - 1 && cwi_equal(d->error.at, malformed, sizeof malformed - 1)))
		return -1;
	d->error = (cw_str){NULL, 0};
	keeper->last = last;
	*last = NULL;
	for (uint32_t i = 0; i < word(op->c, 0); i++) {
		ref path = word(op->c, 1 + i);
		if (!was[i].at)
			continue;
		cw_value *parent = make(v, path);
		k = key(path, keys(path) - 1);
		if (!parent || cw_set_raw(parent, k, was[i]) < 0 || stash(parent, k, op->b) < 0)
			return -1;
		clean(v, path, op->d);
	}
	return 0;
}

static int perform(cw_value *v, const operation *op)
{
	const char *k;
	cw_value *parent;
	switch ((enum code)op->code) {
	case OP_RESTORE: return restore(v, op);
	case OP_STASH: return stash_field(v, op);
	case OP_REMOVE: parent = holder(v, op->path, &k); return cw_remove(parent, k);
	case OP_RENAME: parent = holder(v, op->path, &k); return cw_rename(parent, k, chars(op->a));
	case OP_MOVE: return move(v, op);
	case OP_SPLIT: return split(v, op);
	case OP_JOIN: return join(v, op);
	case OP_LIST_FROM_MAP: return list_from_map(v, op);
	case OP_MAP_FROM_LIST: return map_from_list(v, op);
	case OP_SPLIT_LIST: parent = holder(v, op->path, &k); return cw_split_list(parent, k, chars(op->a));
	case OP_JOIN_LIST: parent = holder(v, op->path, &k); return cw_join_list(parent, k, chars(op->a));
	case OP_TRANSLATE: return translate(v, op);
	case OP_CONVERT: return convert_value(v, op);
	case OP_WRAP: return wrap(v, op);
	case OP_UNWRAP: return unwrap(v, op);
	case OP_NEST: return nest(v, op);
	case OP_UNNEST: return unnest(v, op);
	case OP_DEFAULT: return constant(v, op, 0);
	case OP_CONSTANT: return constant(v, op, 1);
	case OP_NO_CONSTANT: return no_constant(v, op);
	case OP_EACH: return each(v, op);
	case OP_WITHIN: parent = walk(v, op->path, keys(op->path)); return parent ? run(parent, op->a) : 0;
	case OP_NOTE_EMPTY: return note_empty(v, op);
	case OP_CLEAN: /* a fragment has no stash that could remember the object */
		parent = walk(v, op->path, keys(op->path));
		return is_empty(parent) && cw_get(v->document->root, "metadata") ? cw_remove(parent, NULL) : 0;
	case OP_SPLIT_OBJECT: return split_object(v, op);
	case OP_JOIN_OBJECT: return join_object(v, op);
	case OP_NOTE_ORDER: return note_order(v, op);
	case OP_RENAME_KEYS: return rename_keys(v, op);
	case OP_SKIP: return skip(v, op);
	case OP_ATTEMPT: return attempt(v, op);
	}
	__builtin_trap(); /* an interpreter older than its rules */
}

/* Performs the operations of a block on a value. Conditions are about the value as it is before the first one. */
static int run(cw_value *v, ref r)
{
	const block *b = (const block *)at(r);
	uint64_t holding[MAX_OPERATIONS / 64] = {0};
	for (uint32_t i = 0; b->conditional && i < b->count; i++)
		if (!b->operations[i].condition || holds(v, b->operations[i].condition))
			holding[i / 64] |= (uint64_t)1 << i % 64;
	for (uint32_t i = 0; i < b->count; i++) {
		if (b->conditional && !(holding[i / 64] >> i % 64 & 1))
			continue;
		if (perform(v, &b->operations[i]) < 0 || v->document->error.at)
			return -1;
	}
	return 0;
}

/* ---- the module -------------------------------------------------------------------------------------------------------- */

static cw_conversion conversions[MAX_CONVERSIONS];
static ref blocks[MAX_CONVERSIONS];
static cw_field fields[MAX_FIELDS];

void (*const cwi_module_at_end)(cw_object *o) = cwi_end_stash;
const cw_conversion *cwi_module_conversions = conversions;
uint32_t cwi_module_count;
const char *cwi_module_description;
const cw_field *cwi_module_fields = fields;
uint32_t cwi_module_field_count;

static int convert(cw_object *o)
{
	return run(o, blocks[o->document->conversion - conversions]);
}

__attribute__((export_name("_initialize"))) void rules_initialize(void)
{
	program = (const char *)(uintptr_t)crosswalk_rules[0];
	const head *h = (const head *)program;
	if (!program || h->magic != RULES_MAGIC || h->conversion_count > MAX_CONVERSIONS || h->field_count > MAX_FIELDS)
		__builtin_trap(); /* no rules, or those of another version of the interpreter */
	for (uint32_t i = 0; i < h->conversion_count; i++) {
		conversions[i].from = chars(word(h->conversions, 3 * i));
		conversions[i].to = chars(word(h->conversions, 3 * i + 1));
		conversions[i].convert = convert;
		blocks[i] = word(h->conversions, 3 * i + 2);
	}
	for (uint32_t i = 0; i < h->field_count; i++) {
		ref path = word(h->fields, 2 * i + 1);
		fields[i].version = chars(word(h->fields, 2 * i));
		fields[i].path = path ? chars(path) : NULL;
	}
	cwi_module_count = h->conversion_count;
	cwi_module_field_count = h->field_count;
	cwi_module_description = chars(h->description);
}
