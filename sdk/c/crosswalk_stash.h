/* crosswalk_stash.h - keeps what the other version has no field for in one annotation, and puts it back, beside crosswalk.h.
 *
 * Include it after crosswalk.h; the file with CROSSWALK_IMPLEMENTATION has its code. docs/spec/stash.md of the gateway is the format,
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

/* Removes the value at key from the object and keeps it in an annotation, for a version that has
 * no field for it. The conversion back restores it if that begins with cw_restore and only
 * metadata and status changed in between. A value below .status is restored if the status did not
 * change. Returns 1, 0 if the value is absent, or -1.
 *
 * Call it before you rename or move an object that contains the value: it records the current
 * path. A fragment without metadata cannot hold a stash, and the value is dropped. An object is
 * refused if its stash exceeds 128 KiB. */
int cw_stash(cw_value *v, const char *key);

/* Does as cw_stash, for a value that depends on a part of the object only: the value is restored
 * if the values at the JSON Pointers ("/spec/users", "/spec/hosts/0"; ~1 for a slash in a key, ~0
 * for a tilde) have not changed in the other version. Without pointers (count 0) it is always
 * restored, which suits a field that the other version does not know. */
int cw_stash_for(cw_value *v, const char *key, const char *const *pointers, uint32_t count);

/* Restores the values that the conversion to this version kept, unless they are stale. Call it
 * first: it decides from the unedited object which values are stale, and restores the others after
 * the converter returns. Returns 0, or -1 if memory is exhausted. Without a stash it does nothing.
 * A stash never refuses an object; values that cannot be restored are logged and dropped. */
int cw_restore(cw_object *o);

/* Converts with convert and keeps the fields that the other version lacks: it converts the result
 * back with back, from the text that an API server sends for it, and stashes every difference from
 * the original object. It begins with cw_restore. Call it as the whole body of a converter:
 *
 *	static int v1_to_beta(cw_object *o) { return cw_lossless(o, to_beta, to_v1); }
 *	static int beta_to_v1(cw_object *o) { return cw_lossless(o, to_v1, to_beta); }
 *
 * It costs a conversion back and a comparison for every object, and the stashed values are dropped
 * if a client changes more than metadata and status in the other version. cw_stash_for is faster
 * and can keep more; do not use both. If back refuses the result, nothing is stashed: the other
 * version could not be written back anyway. */
int cw_lossless(cw_object *o, int (*convert)(cw_object *o), int (*back)(cw_object *o));

/* For tests with the vectors that all languages share. The hash of a value, NULL for absent; and of what a parcel is taken for: taken is
 * a JSON list of pointers, at NULL for the default. cw_hash_for returns 0 if taken is not that. */
uint64_t cw_hash(cw_value *v);
int cw_hash_for(cw_object *o, cw_str taken, uint64_t *hash);

/* CW_MODULE in a file that includes this one has every conversion end with it. */
void cwi_end_stash(cw_object *o);
#undef CWI_AT_END
#define CWI_AT_END cwi_end_stash

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_STASH_H */

#if defined(CROSSWALK_IMPLEMENTED) && !defined(CROSSWALK_STASH_IMPLEMENTED)
#define CROSSWALK_STASH_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* ---- numbers of an API server ------------------------------------------------------------------------------------------
 * An API server reads an integer of 64 bits as it is, and every other number as the nearest double, of which it writes the
 * shortest text that is read as the same double. Neither a freestanding compiler nor WebAssembly has that conversion, so
 * it is done here, exactly, with integers of any size. */

enum {
	CWI_LIMBS = 128,  /* enough for 10^1131 and a double's 53 bits */
	CWI_DIGITS = 800  /* a double's border has 767 digits at most; of more digits only "more than zero" counts */
};

typedef struct {
	uint32_t limb[CWI_LIMBS]; /* the lowest first */
	int n;
} cwi_big;

static void cwi_big_set(cwi_big *b, uint64_t value)
{
	b->limb[0] = (uint32_t)value;
	b->limb[1] = (uint32_t)(value >> 32);
	b->n = b->limb[1] ? 2 : b->limb[0] ? 1 : 0;
}

/* b = b * factor + plus */
static void cwi_big_times(cwi_big *b, uint32_t factor, uint32_t plus)
{
	uint64_t carry = plus;
	for (int i = 0; i < b->n; i++) {
		carry += (uint64_t)b->limb[i] * factor;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && b->n < CWI_LIMBS)
		b->limb[b->n++] = (uint32_t)carry;
}

static void cwi_big_power(cwi_big *b, uint32_t factor, int64_t times)
{
	for (; times > 0; times--)
		cwi_big_times(b, factor, 0);
}

/* b = b * 2^bits */
static void cwi_big_shift(cwi_big *b, int64_t bits)
{
	for (; bits >= 31; bits -= 31)
		cwi_big_times(b, 1u << 31, 0);
	if (bits > 0)
		cwi_big_times(b, 1u << bits, 0);
}

static int cwi_big_compare(const cwi_big *a, const cwi_big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = a->n; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

/* a = a - b, which is not larger */
static void cwi_big_minus(cwi_big *a, const cwi_big *b)
{
	int64_t carry = 0;
	for (int i = 0; i < a->n; i++) {
		carry += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	while (a->n > 0 && !a->limb[a->n - 1])
		a->n--;
}

/* Compares a + b with c. */
static int cwi_big_compare_sum(const cwi_big *a, const cwi_big *b, const cwi_big *c)
{
	static cwi_big sum;
	uint64_t carry = 0;
	int n = a->n > b->n ? a->n : b->n;
	for (int i = 0; i < n; i++) {
		carry += (uint64_t)(i < a->n ? a->limb[i] : 0) + (i < b->n ? b->limb[i] : 0);
		sum.limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	sum.n = n;
	if (carry && n < CWI_LIMBS)
		sum.limb[sum.n++] = (uint32_t)carry;
	return cwi_big_compare(&sum, c);
}

static int cwi_big_bits(const cwi_big *b)
{
	int bits = (b->n - 1) * 32;
	for (uint32_t top = b->n ? b->limb[b->n - 1] : 0; top; top >>= 1)
		bits++;
	return bits;
}

/* A number as 0.digits * 10^point; no digits are zero. */
typedef struct {
	char digits[CWI_DIGITS + 1];
	int n, negative;
	int64_t point;
} cwi_decimal;

static void cwi_read_decimal(cwi_decimal *d, cw_str text)
{
	uint32_t i = text.at[0] == '-';
	int64_t power = 0;
	int fraction = 0, more = 0;
	d->n = 0;
	d->point = 0;
	d->negative = (int)i;
	for (; i < text.len && (text.at[i] | 0x20) != 'e'; i++) {
		if (text.at[i] == '.') {
			fraction = 1;
			continue;
		}
		if (d->n == 0 && text.at[i] == '0') {
			d->point -= fraction;
			continue;
		}
		d->point += !fraction;
		if (d->n < CWI_DIGITS)
			d->digits[d->n++] = text.at[i];
		else
			more |= text.at[i] != '0';
	}
	int minus = i + 1 < text.len && text.at[i + 1] == '-';
	for (i++; i < text.len; i++)
		if (text.at[i] >= '0' && text.at[i] <= '9' && power < INT32_MAX)
			power = power * 10 + (text.at[i] - '0');
	d->point += minus ? -power : power;
	if (more)
		d->digits[d->n++] = '1';
	while (d->n > 0 && d->digits[d->n - 1] == '0')
		d->n--;
}

/* Finds the double mantissa * 2^exponent that is nearest to a decimal that is not zero; of two, the even one. Returns 0 if
 * there is none: it is too large. */
static int cwi_nearest(const cwi_decimal *d, uint64_t *mantissa, int *exponent)
{
	static cwi_big value, unit;
	if (d->point > 310)
		return 0;
	*mantissa = 0;
	if (d->point < -330)
		return 1;
	cwi_big_set(&value, (uint64_t)(d->digits[0] - '0'));
	for (int i = 1; i < d->n; i++)
		cwi_big_times(&value, 10, (uint32_t)(d->digits[i] - '0'));
	cwi_big_set(&unit, 1);
	cwi_big_power(&value, 10, d->point - d->n);
	cwi_big_power(&unit, 10, d->n - d->point);
	int e = cwi_big_bits(&value) - cwi_big_bits(&unit), bits = 53;
	cwi_big_shift(&unit, e);
	cwi_big_shift(&value, -e);
	if (cwi_big_compare(&value, &unit) < 0) {
		cwi_big_times(&value, 2, 0);
		e--;
	}
	if (e < -1022)
		bits -= -1022 - e;
	if (bits < 0)
		return 1;
	for (int i = 0; i < bits; i++) {
		*mantissa <<= 1;
		if (cwi_big_compare(&value, &unit) >= 0) {
			*mantissa |= 1;
			cwi_big_minus(&value, &unit);
		}
		cwi_big_times(&value, 2, 0);
	}
	*exponent = e - bits + 1;
	int rest = cwi_big_compare(&value, &unit);
	if (rest > 0 || (rest == 0 && (*mantissa & 1)))
		++*mantissa;
	if (*mantissa == (uint64_t)1 << 53) {
		*mantissa >>= 1;
		++*exponent;
	}
	return *exponent <= 971;
}

/* Sets the digits of a decimal to the fewest, and nearest, that only this double is nearest to (Steele and White). */
static void cwi_shortest(cwi_decimal *d, uint64_t mantissa, int exponent)
{
	static cwi_big value, one, above, below;
	int even = !(mantissa & 1), narrow = mantissa == (uint64_t)1 << 52 && exponent > -1074; /* the double below is nearer */
	cwi_big_set(&value, mantissa << 1 << narrow);
	cwi_big_set(&one, (uint64_t)2 << narrow);
	cwi_big_set(&above, (uint64_t)1 << narrow);
	cwi_big_set(&below, 1);
	cwi_big_shift(&value, exponent);
	cwi_big_shift(&above, exponent);
	cwi_big_shift(&below, exponent);
	cwi_big_shift(&one, -exponent);
	d->n = 0;
	d->point = 0;
	while (cwi_big_compare_sum(&value, &above, &one) >= !even) {
		cwi_big_times(&one, 10, 0);
		d->point++;
	}
	for (int low = 0, high = 0; !low && !high;) {
		char digit = '0';
		cwi_big_times(&value, 10, 0);
		cwi_big_times(&above, 10, 0);
		cwi_big_times(&below, 10, 0);
		for (; cwi_big_compare(&value, &one) >= 0; digit++)
			cwi_big_minus(&value, &one);
		low = cwi_big_compare(&value, &below) < even;
		high = cwi_big_compare_sum(&value, &above, &one) >= !even;
		int half = cwi_big_compare_sum(&value, &value, &one);
		if (high && (!low || half > 0 || (half == 0 && (digit & 1))))
			digit++;
		if (digit == '0' && d->n == 0)
			d->point--;
		else
			d->digits[d->n++] = digit;
	}
}

static void cwi_add_zeros(cwi_text *t, int64_t n)
{
	for (; n > 0; n--)
		cwi_add_byte(t, '0');
}

/* Appends a number as an API server writes it, and -0 as 0. A number beyond a double, which the gateway refuses, stays as it is. */
static void cwi_add_served_number(cwi_text *t, cw_str text)
{
	static const char least[] = "9223372036854775808";
	static cwi_decimal d;
	uint32_t sign = text.at[0] == '-', digits = text.len - sign, i = sign;
	while (i < text.len && text.at[i] >= '0' && text.at[i] <= '9')
		i++;
	if (i == text.len && digits <= 19 && text.at[sign] != '0') {
		int over = 0; /* than the largest, or of a negative number the least, integer of 64 bits */
		for (i = 0; digits == 19 && !over && i < 19; i++)
			over = text.at[sign + i] - least[i];
		if (over < 0 || digits < 19 || (over == 0 && sign)) {
			cwi_add(t, text.at, text.len);
			return;
		}
	}
	cwi_read_decimal(&d, text);
	if (d.n > 15 || d.point > 300 || d.point < -300) { /* of others, the shortest digits are these */
		uint64_t mantissa = 0;
		int exponent = 0;
		if (d.n && !cwi_nearest(&d, &mantissa, &exponent)) {
			cwi_add(t, text.at, text.len);
			return;
		}
		if (mantissa)
			cwi_shortest(&d, mantissa, exponent);
		else
			d.n = 0;
	}
	if (d.n == 0) {
		cwi_add_byte(t, '0');
		return;
	}
	if (d.negative)
		cwi_add_byte(t, '-');
	if (d.point > 21 || d.point < -5) {
		cwi_add_byte(t, d.digits[0]);
		if (d.n > 1)
			cwi_add_byte(t, '.');
		cwi_add(t, d.digits + 1, (uint32_t)d.n - 1);
		cwi_add_byte(t, 'e');
		if (d.point > 0)
			cwi_add_byte(t, '+');
		cwi_add_int(t, d.point - 1);
	} else if (d.point >= d.n) {
		cwi_add(t, d.digits, (uint32_t)d.n);
		cwi_add_zeros(t, d.point - d.n);
	} else if (d.point > 0) {
		cwi_add(t, d.digits, (uint32_t)d.point);
		cwi_add_byte(t, '.');
		cwi_add(t, d.digits + d.point, (uint32_t)(d.n - d.point));
	} else {
		cwi_add(t, "0.", 2);
		cwi_add_zeros(t, -d.point);
		cwi_add(t, d.digits, (uint32_t)d.n);
	}
}

/* ---- the hash
 * ----------------------------------------------------------------------------------------------------------
 * 64 bits of a JSON value. It does not depend on the order of members, white space, escapes or the
 * spelling of numbers, because an API server may change all of these. It detects changes and is
 * not a security measure. */

static const uint64_t cwi_fnv_start = 0xcbf29ce484222325;

static uint64_t cwi_fnv(uint64_t h, const char *at, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)at[i]) * 0x100000001b3;
	return h;
}

static uint64_t cwi_fnv_word(uint64_t h, uint64_t word)
{
	for (int i = 0; i < 64; i += 8)
		h = (h ^ (word >> i & 0xff)) * 0x100000001b3;
	return h;
}

/* Spreads every bit over the whole result: members are added up, for which FNV alone is too regular. */
static uint64_t cwi_mix(uint64_t h)
{
	h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
	return h ^ h >> 33;
}

/* Hashes a number, as an API server writes it, in its normal form: 0, or its digits without zeros around them, e, and a
 * power of ten. 1000 is 1e3. */
static uint64_t cwi_hash_number(cw_str text)
{
	cwi_text sent = {NULL, 0, 0, 0};
	cwi_add_served_number(&sent, text);
	if (!sent.at)
		return 0; /* there is no memory, which the next allocation says */
	text.at = sent.at;
	text.len = sent.len;
	uint64_t h = cwi_fnv(cwi_fnv_start, "d", 1);
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
		return cwi_mix(cwi_fnv(h, "0", 1));
	for (uint32_t j = i; j-- > last + 1;)
		exponent += text.at[j] == '0'; /* zeros at the end are no digits of it */
	int negative = i + 1 < text.len && text.at[i + 1] == '-';
	for (i++; i < text.len; i++) /* beyond 32 bits a number is 0 or refused by the gateway */
		if (text.at[i] >= '0' && text.at[i] <= '9' && power < INT32_MAX)
			power = power * 10 + (text.at[i] - '0');
	if (text.at[0] == '-')
		h = cwi_fnv(h, "-", 1);
	for (uint32_t j = first; j <= last; j++)
		if (text.at[j] != '.')
			h = cwi_fnv(h, text.at + j, 1);
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, 'e');
	cwi_add_int(&t, exponent + (negative ? -power : power));
	return cwi_mix(cwi_fnv(h, t.at, t.len));
}

static uint64_t cwi_hash_scalar(cw_value *v)
{
	cw_str text = {"", 0};
	switch (cw_typeof(v)) {
	case CW_STRING:
		cw_string(v, NULL, &text);
		return cwi_mix(cwi_fnv(cwi_fnv(cwi_fnv_start, "s", 1), text.at, text.len));
	case CW_NUMBER:
		cw_raw(v, NULL, &text);
		return cwi_hash_number(text);
	case CW_BOOL:
		return cwi_mix(cwi_fnv(cwi_fnv_start, v->at, 1)); /* t or f */
	default:
		return cwi_mix(cwi_fnv(cwi_fnv_start, "n", 1));
	}
}

/* An object or array whose hash is being taken, within another: the nesting takes memory of the arena, not of the stack. */
typedef struct cwi_hashing {
	struct cwi_hashing *outer;
	cw_value *child; /* the next one */
	uint64_t sum;
	int object;
} cwi_hashing;

/* Members of the root that the default of "for" leaves out. */
static int cwi_no_content(cw_str key)
{
	return cw_is(key, "apiVersion") || cw_is(key, "kind") || cw_is(key, "metadata") || cw_is(key, "status");
}

/* Returns the next child that counts. */
static cw_value *cwi_hash_next(cwi_hashing *top, int content)
{
	cw_value *c = top->child;
	while (c && top->object && (cw_typeof(c) == CW_NULL || (content && !top->outer && cwi_no_content(cw_key(c)))))
		c = cw_next(c);
	return top->child = c;
}

/* Adds the hash of the child at hand. */
static void cwi_hash_add(cwi_hashing *top, uint64_t h)
{
	if (top->object) {
		cw_str key = cw_key(top->child);
		h = cwi_fnv_word(cwi_fnv(cwi_fnv_start, "m", 1), h);
		top->sum += cwi_mix(cwi_fnv(h, key.at, key.len));
	} else {
		top->sum = cwi_fnv_word(top->sum, h);
	}
	top->child = cw_next(top->child);
}

/* Returns the hash of v; of an object, with its content only if that is asked for. */
static uint64_t cwi_hash_of(cw_value *v, int content)
{
	cwi_hashing *top = NULL, *spare = NULL;
	for (;;) {
		if (cw_typeof(v) >= CW_ARRAY) {
			cwi_hashing *inner = spare ? spare : (cwi_hashing *)cwi_alloc(sizeof *inner);
			if (!inner) {
				cwi_fail_memory(v->document);
				return 0;
			}
			spare = spare ? spare->outer : NULL;
			inner->outer = top;
			inner->object = cw_typeof(v) == CW_OBJECT;
			inner->sum = inner->object ? 0 : cwi_fnv(cwi_fnv_start, "a", 1);
			inner->child = cw_first(v);
			top = inner;
		} else {
			uint64_t h = cwi_hash_scalar(v);
			if (!top)
				return h;
			cwi_hash_add(top, h);
		}
		while (!(v = cwi_hash_next(top, content))) {
			uint64_t h = cwi_mix(top->object ? cwi_fnv_word(cwi_fnv(cwi_fnv_start, "o", 1), top->sum) : top->sum);
			cwi_hashing *outer = top->outer;
			top->outer = spare;
			spare = top;
			top = outer;
			if (!top)
				return h;
			cwi_hash_add(top, h);
		}
	}
}

uint64_t cw_hash(cw_value *v)
{
	return cwi_hash_of(v, 0);
}

/* ---- pointers ----------------------------------------------------------------------------------------------------------
 * JSON Pointers (RFC 6901), which name values in a stash. */

static void cwi_add_token(cwi_text *t, cw_str key)
{
	cwi_add_byte(t, '/');
	for (uint32_t i = 0; i < key.len; i++) {
		if (key.at[i] == '~' || key.at[i] == '/')
			cwi_add(t, key.at[i] == '~' ? "~0" : "~1", 2);
		else
			cwi_add_byte(t, key.at[i]);
	}
}

static void cwi_add_index(cwi_text *t, uint32_t index)
{
	cwi_add_byte(t, '/');
	cwi_add_int(t, index);
}

/* Appends the pointer to v. A list element keeps its original index even if elements before it
 * were removed. */
static void cwi_add_pointer(cwi_text *t, const cw_value *v)
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
			cwi_add_token(t, cw_key((cw_value *)a));
		else
			cwi_add_index(t, index);
	}
}

/* Takes the first key off a pointer; 0 if there is none. */
static int cwi_cut_token(cw_str *pointer, cw_str *key)
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
	char *plain = (char *)cwi_alloc((uint64_t)key->len + CWI_PAD), *to = plain;
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
static int cwi_restorable(cw_str pointer)
{
	cw_str key;
	return cwi_cut_token(&pointer, &key) && !cw_is(key, "apiVersion") && !cw_is(key, "kind") && !cw_is(key, "metadata");
}

/* Returns 1 and the number of an element, if a key may be meant as one. */
static int cwi_index_of(cw_str key, uint32_t *index)
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
static cw_value *cwi_step(cw_value *v, cw_str key)
{
	uint32_t index;
	if (cw_typeof(v) != CW_ARRAY)
		return cw_typeof(v) == CW_OBJECT ? cwi_find_text(v, key) : NULL;
	if (!cwi_index_of(key, &index))
		return NULL;
	cw_value *e = cw_first(v);
	for (; e && index > 0; index--)
		e = cw_next(e);
	return e;
}

/* Returns what a pointer leads to from v, null or not. */
static cw_value *cwi_at(cw_value *v, cw_str pointer)
{
	cw_str key;
	while (v && pointer.len > 0)
		v = cwi_cut_token(&pointer, &key) ? cwi_step(v, key) : NULL;
	return v;
}

/* Makes {"b":{"c":json}} of the pointer /b/c; at NULL if one of the keys may be meant as the number of an element. */
static cw_str cwi_nest(cwi_document *d, cw_str pointer, cw_str json)
{
	cwi_text t = {NULL, 0, 0, 0};
	cw_str key, none = {NULL, 0};
	uint32_t depth = 0, index;
	for (; pointer.len > 0; depth++) {
		if (!cwi_cut_token(&pointer, &key) || cwi_index_of(key, &index))
			return none;
		cwi_add_byte(&t, '{');
		cwi_quote(&t, key.at, key.len);
		cwi_add_byte(&t, ':');
	}
	cwi_add(&t, json.at, json.len);
	for (; depth > 0; depth--)
		cwi_add_byte(&t, '}');
	return cwi_result(d, t);
}

/* Puts JSON where a pointer leads; 0 if it cannot. Objects on the way are made, elements of lists are not. */
static int cwi_set_at(cw_value *v, cw_str pointer, cw_str json)
{
	cw_str key;
	while (cwi_cut_token(&pointer, &key)) {
		cw_value *there = cwi_step(v, key);
		if (there && pointer.len > 0 && cw_typeof(there) != CW_NULL) {
			v = there;
			continue;
		}
		if (!there && cw_typeof(v) != CW_OBJECT)
			return 0;
		cw_str value = cwi_nest(v->document, pointer, json);
		if (!value.at)
			return 0;
		if (there)
			return cwi_replace(there, value) == 0;
		cwi_finish(v); /* a member can be added only where all are listed */
		return cwi_insert(v, key, value) != NULL;
	}
	return 0;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------------- */

/* The longest text of a stash's annotation, in bytes: half of what Kubernetes allows all annotations of an object together
 * (256 KiB), as kubectl's last-applied configuration needs room too. */
enum { CWI_STASH_MAX = 128 << 10 };

/* Something that is kept. */
typedef struct cwi_kept {
	struct cwi_kept *next;
	cw_str taken;   /* what it was taken for: a JSON list of pointers; at NULL = everything but metadata and status */
	cw_str pointer;
	cw_str value;   /* at NULL: the conversion back puts in a value that was not there */
} cwi_kept;

/* A parcel that cw_restore found fresh. */
typedef struct cwi_fresh {
	struct cwi_fresh *next;
	cw_value *parcel;
} cwi_fresh;

typedef struct cwi_keeper {
	cwi_kept *first, **last;
	cwi_fresh *fresh, **fresh_last;
	int restoring; /* cw_restore was called */
} cwi_keeper;

/* Returns the keeper of the conversion that is going on; NULL outside of one, or if there is no memory. */
static cwi_keeper *cwi_keeper_of(cwi_document *d)
{
	if (d->conversion && !d->keeper) {
		cwi_keeper *k = (cwi_keeper *)cwi_alloc(sizeof *k);
		if (!k) {
			cwi_fail_memory(d);
			return NULL;
		}
		k->first = NULL;
		k->last = &k->first;
		k->fresh = NULL;
		k->fresh_last = &k->fresh;
		k->restoring = 0;
		d->keeper = k;
		d->at_end = cwi_end_stash;
	}
	return d->keeper;
}

/* Keeps a value, or notes that there was none; taken at NULL is the default of its place. */
static void cwi_keep_at(cwi_document *d, cw_str taken, cw_str pointer, cw_str value)
{
	static const cw_str status = {"[\"/status\"]", 11};
	cwi_kept *kept = (cwi_kept *)cwi_alloc(sizeof *kept);
	if (!kept) {
		cwi_fail_memory(d);
		return;
	}
	cw_str rest = pointer, key;
	kept->next = NULL;
	kept->taken = !taken.at && cwi_cut_token(&rest, &key) && cw_is(key, "status") ? status : taken;
	kept->pointer = pointer;
	kept->value = value;
	*d->keeper->last = kept;
	d->keeper->last = &kept->next;
}

static int cwi_take_away(cw_value *v, const char *key, cw_str taken)
{
	int status;
	cw_value *c = cwi_target(v, key, &status);
	if (status <= 0)
		return status;
	cwi_document *d = c->document;
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_pointer(&t, c);
	cw_str pointer = cwi_result(d, t), value = {"", 0};
	if (!cwi_restorable(pointer))
		return cwi_cannot(c, " cannot be stashed: only what is beside apiVersion, kind and metadata can", NULL);
	if (*c->parent->at != '{')
		return cwi_cannot(c, " cannot be stashed: it is an element of a list, which can be stashed as a whole", NULL);
	cw_raw(c, NULL, &value);
	if (cwi_keeper_of(d))
		cwi_keep_at(d, taken, pointer, value);
	cwi_detach(c);
	return 1;
}

int cw_stash(cw_value *v, const char *key)
{
	static const cw_str all = {NULL, 0};
	return cwi_take_away(v, key, all);
}

int cw_stash_for(cw_value *v, const char *key, const char *const *pointers, uint32_t count)
{
	if (!v)
		return 0;
	cwi_text t = {NULL, 0, 0, 0};
	for (uint32_t i = 0; i < count; i++) {
		cwi_add_byte(&t, i ? ',' : '[');
		cwi_quote(&t, pointers[i], cwi_length(pointers[i]));
	}
	cwi_add_string(&t, count ? "]" : "[]");
	return cwi_take_away(v, key, cwi_result(v->document, t));
}

/* Returns "v1" of "example.com/v1". */
static cw_str cwi_bare(const char *version)
{
	const char *bare = cwi_bare_version(version);
	cw_str text = {bare, cwi_length(bare)};
	return text;
}

/* Returns the string at key of v; "" if it is something else. */
static cw_str cwi_text_at(cw_value *v, const char *key)
{
	cw_str text = {"", 0};
	cw_value *c = cw_get(v, key);
	if (cw_typeof(c) == CW_STRING)
		cw_string(c, NULL, &text);
	return text;
}

/* Returns the annotation for the group of the conversion, followed by NUL. */
static const char *cwi_stash_key(cw_object *o)
{
	const char *version = o->document->conversion->to, *bare = cwi_bare_version(version);
	return cw_format(o, "conversion.%.*s/stash", bare > version ? (int)(bare - version - 1) : 0, version).at;
}

/* Returns the layers in the text of a stash's annotation; NULL if it has none. */
static cw_value *cwi_layers(cw_object *o, cw_str text)
{
	cw_value *layers = text.len ? cwi_open_json(o, text) : NULL;
	return cw_typeof(layers) == CW_OBJECT ? layers : NULL;
}

int cw_hash_for(cw_object *o, cw_str taken, uint64_t *hash)
{
	cw_str pointer, key;
	if (!taken.at) {
		*hash = cwi_hash_of(o, 1);
		return cw_typeof(o) == CW_OBJECT;
	}
	cw_value *list = cwi_open_json(o, taken);
	if (cw_typeof(list) != CW_ARRAY)
		return 0;
	uint64_t h = cwi_fnv(cwi_fnv_start, "a", 1);
	for (cw_value *e = cw_first(list); e; e = cw_next(e)) {
		if (cw_typeof(e) != CW_STRING || cw_string(e, NULL, &pointer) <= 0)
			return 0;
		cw_str rest = pointer;
		if (!cwi_cut_token(&rest, &key))
			return 0;
		h = cwi_fnv_word(h, cw_hash(cwi_at(o, pointer)));
	}
	*hash = cwi_mix(h);
	return 1;
}

/* Appends 16 hexadecimal digits. */
static void cwi_add_hex(cwi_text *t, uint64_t h)
{
	for (int i = 60; i >= 0; i -= 4)
		cwi_add_byte(t, "0123456789abcdef"[h >> i & 15]);
}

static int cwi_same_text(cw_str a, cw_str b)
{
	return !a.at == !b.at && a.len == b.len && cwi_equal(a.at, b.at, a.len);
}

/* Appends the member "set" or "gone" of the parcel that begins with first. */
static void cwi_add_parts(cwi_text *t, const cwi_kept *first, int gone)
{
	int some = 0;
	for (const cwi_kept *k = first; k; k = k->next) {
		if (gone == (k->value.at != NULL) || !cwi_same_text(k->taken, first->taken))
			continue;
		cwi_add_string(t, some ? "," : gone ? ",\"gone\":[" : ",\"set\":{");
		cwi_quote(t, k->pointer.at, k->pointer.len);
		if (!gone) {
			cwi_add_byte(t, ':');
			cwi_add(t, k->value.at, k->value.len);
		}
		some = 1;
	}
	if (some)
		cwi_add_byte(t, gone ? ']' : '}');
}

/* Appends what was kept, what was taken for the same in one parcel, with its hash in the converted object. */
static void cwi_add_parcels(cwi_text *t, cw_object *converted)
{
	for (cwi_kept *first = converted->document->keeper->first; first; first = first->next) {
		cwi_kept *before = converted->document->keeper->first;
		while (!cwi_same_text(before->taken, first->taken))
			before = before->next;
		if (before != first)
			continue; /* it is in an earlier parcel */
		uint64_t hash = 0;
		cw_hash_for(converted, first->taken, &hash);
		cwi_add_string(t, before == converted->document->keeper->first ? "{" : ",{");
		if (first->taken.at) {
			cwi_add_string(t, "\"for\":");
			cwi_add(t, first->taken.at, first->taken.len);
			cwi_add_byte(t, ',');
		}
		cwi_add_string(t, "\"hash\":\"");
		cwi_add_hex(t, hash);
		cwi_add_byte(t, '"');
		cwi_add_parts(t, first, 0);
		cwi_add_parts(t, first, 1);
		cwi_add_byte(t, '}');
	}
}

/* Puts the stash into the object, which is converted otherwise. */
static void cwi_write_stash(cw_object *o)
{
	const cw_conversion *c = o->document->conversion;
	cwi_keeper *k = o->document->keeper;
	cw_str from = cwi_bare(c->from), to = cwi_bare(c->to), text = {"", 0}, raw;
	if (cw_refused(o))
		return;
	const char *name = cwi_stash_key(o);
	cw_value *annotation = cw_get(cw_get(cw_get(o, "metadata"), "annotations"), name);
	int shown = cw_shown(o, "metadata.annotations") || cw_shown(o, cw_format(o, "metadata.annotations['%s']", name).at);
	if (!k->first && !k->restoring && !(shown && cw_typeof(annotation) == CW_STRING))
		return;
	if (!shown) {
		cw_refuse(o, "the module declares fields, and keeps a stash: it has to declare metadata.annotations['%s'] too (CW_MODULE_FIELDS)", name);
		return;
	}
	if (cw_typeof(cw_get(o, "metadata")) != CW_OBJECT)
		return;
	text = cwi_text_at(annotation, NULL);
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_byte(&t, '{');
	for (cw_value *layer = cw_first(cwi_layers(o, text)); layer; layer = cw_next(layer)) {
		cw_str key = cw_key(layer);
		if (cwi_same_text(key, from) || cwi_same_text(key, to) || !cw_raw(layer, NULL, &raw))
			continue;
		if (t.len > 1)
			cwi_add_byte(&t, ',');
		cwi_quote(&t, key.at, key.len);
		cwi_add_byte(&t, ':');
		cwi_add(&t, raw.at, raw.len);
	}
	if (k->first) {
		if (t.len > 1)
			cwi_add_byte(&t, ',');
		cwi_quote(&t, from.at, from.len);
		cwi_add_string(&t, ":{\"in\":");
		cwi_quote(&t, to.at, to.len);
		cwi_add_string(&t, ",\"kept\":[");
		cwi_add_parcels(&t, o);
		cwi_add_string(&t, "]}");
	}
	cwi_add_byte(&t, '}');
	cw_str all = cwi_result(o->document, t);
	if (all.len > CWI_STASH_MAX) {
		cwi_text why = {NULL, 0, 0, 0};
		cwi_add(&why, to.at, to.len);
		cwi_add_string(&why, " cannot hold this object: what it has no place for needs ");
		cwi_add_int(&why, all.len);
		cwi_add_string(&why, " bytes in the annotation ");
		cwi_add_string(&why, name);
		cwi_add_string(&why, ", which may have ");
		cwi_add_int(&why, CWI_STASH_MAX);
		cwi_fail(o->document, why);
	} else if (all.len > 2) {
		cw_set_annotation(o, name, all);
	} else {
		cw_remove_annotation(o, name);
	}
}

/* ---- putting back ------------------------------------------------------------------------------------------------------ */

enum { CWI_LOG_INFO = 1, CWI_LOG_WARN = 2 };

/* Names the object for the log: "Kind namespace/name". */
static cw_str cwi_title(cw_object *o)
{
	cw_value *metadata = cw_get(o, "metadata");
	cw_str kind = cwi_text_at(o, "kind"), space = cwi_text_at(metadata, "namespace"), name = cwi_text_at(metadata, "name");
	return cw_format(o, "%.*s %.*s%s%.*s", CW_ARG(kind), CW_ARG(space), space.len ? "/" : "", CW_ARG(name));
}

/* Logs that the stash was dropped, and why. */
static void cwi_drop(cw_object *o, int level, const char *why)
{
	cw_str title = cwi_title(o);
	cw_log(level, cw_format(o, "the stash of %.*s %s, and was dropped", CW_ARG(title), why));
}

/* Finds out which parcels of a layer are fresh. */
static void cwi_find_fresh(cw_object *o, cw_value *kept)
{
	cwi_keeper *k = o->document->keeper;
	for (cw_value *parcel = cw_first(kept); parcel; parcel = cw_next(parcel)) {
		cw_str taken = {NULL, 0}, title;
		uint64_t hash;
		cw_raw(parcel, "for", &taken);
		if (!cw_hash_for(o, taken, &hash)) {
			title = cwi_title(o);
			cw_log(CWI_LOG_WARN, cw_format(o, "the stash of %.*s has a malformed parcel, which was dropped", CW_ARG(title)));
			continue;
		}
		cwi_text t = {NULL, 0, 0, 0};
		cwi_add_hex(&t, hash);
		cwi_fresh *fresh = (cwi_fresh *)cwi_alloc(sizeof *fresh);
		if (!fresh || t.failed) {
			cwi_fail_memory(o->document);
			return;
		}
		if (!cwi_same_text(cwi_result(o->document, t), cwi_text_at(parcel, "hash"))) {
			cw_str from = cwi_bare(o->document->conversion->from), to = cwi_bare(o->document->conversion->to);
			title = cwi_title(o);
			cw_log(CWI_LOG_INFO, cw_format(o, "%.*s was changed in %.*s: what was kept for %.*s is stale, and was dropped", CW_ARG(title),
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
	cwi_document *d = o->document;
	cw_str text;
	cwi_keeper *k = cwi_keeper_of(d);
	if (!k || k->restoring)
		return d->error.at ? -1 : 0;
	k->restoring = 1;
	cw_value *annotation = cw_get(cw_get(cw_get(o, "metadata"), "annotations"), cwi_stash_key(o));
	if (cw_typeof(annotation) != CW_STRING || cw_string(annotation, NULL, &text) <= 0)
		return d->error.at ? -1 : 0; /* nothing in an annotation refuses an object */
	cw_value *layers = cwi_layers(o, text), *layer = cwi_find_text(layers, cwi_bare(d->conversion->to));
	if (!layers) {
		cwi_drop(o, CWI_LOG_WARN, "is not a JSON object");
	} else if (cw_typeof(layer) > CW_NULL) {
		cw_str in = cwi_text_at(layer, "in"), from = cwi_bare(d->conversion->from);
		cw_value *kept = cw_get(layer, "kept");
		if (!cwi_same_text(in, from)) {
			cw_str quoted = cw_quoted(o, in);
			cwi_drop(o, CWI_LOG_INFO, cw_format(o, "was taken in %.*s, not in %.*s", CW_ARG(quoted), CW_ARG(from)).at);
		} else if (cw_typeof(kept) != CW_ARRAY) {
			cwi_drop(o, CWI_LOG_WARN, "has no list of what was kept");
		} else {
			cwi_find_fresh(o, kept);
		}
	}
	return d->error.at ? -1 : 0;
}

/* Puts back what was found fresh, into the converted object, once. */
static void cwi_put_back(cw_object *o)
{
	cwi_keeper *k = o->document->keeper;
	for (cwi_fresh *f = k->fresh; f; f = f->next) {
		cw_value *set = cw_get(f->parcel, "set"), *gone = cw_get(f->parcel, "gone");
		for (cw_value *m = cw_typeof(set) == CW_OBJECT ? cw_first(set) : NULL; m; m = cw_next(m)) {
			cw_str pointer = cw_key(m), value = {"", 0};
			cw_raw(m, NULL, &value);
			if (!cwi_restorable(pointer) || cwi_set_at(o, pointer, value))
				continue;
			cw_str title = cwi_title(o), to = cwi_bare(o->document->conversion->to);
			cw_log(CWI_LOG_INFO, cw_format(o, "%.*s has no place for %.*s any more, which was kept for %.*s, and was dropped", CW_ARG(title),
				CW_ARG(pointer), CW_ARG(to)));
		}
		for (cw_value *e = cw_typeof(gone) == CW_ARRAY ? cw_first(gone) : NULL; e; e = cw_next(e)) {
			cw_str pointer = cwi_text_at(e, NULL);
			cw_value *c = cwi_restorable(pointer) ? cwi_at(o, pointer) : NULL;
			if (c && c->parent && *c->parent->at == '{')
				cwi_detach(c);
		}
	}
	k->fresh = NULL;
	k->fresh_last = &k->fresh;
}

/* Restores what is fresh, and writes the stash, after a converter. It does so even if the converter has kept nothing: a layer left over of the
 * version that the object comes from would be restored later. */
void cwi_end_stash(cw_object *o)
{
	if (!o->document->keeper && !cw_get(cw_get(o, "metadata"), "annotations"))
		return;
	if (cwi_keeper_of(o->document)) {
		cwi_put_back(o);
		cwi_write_stash(o);
	}
}

/* ---- the text of an API server ----------------------------------------------------------------------------------------- */

typedef struct {
	cw_str key;
	cw_value *value;
} cwi_member;

static int cwi_before(cw_str a, cw_str b)
{
	for (uint32_t i = 0; i < a.len && i < b.len; i++)
		if (a.at[i] != b.at[i])
			return (unsigned char)a.at[i] < (unsigned char)b.at[i];
	return a.len < b.len;
}

/* Sorts the members of an object that nobody has edited by their keys. Returns 0 if there is no memory. */
static int cwi_sort_members(cw_value *object)
{
	uint32_t n = 0, sorted = 1;
	for (cw_value *c = cw_first(object); c; c = cw_next(c))
		n++;
	cwi_member *from = (cwi_member *)cwi_alloc((uint64_t)n * sizeof *from), *to = (cwi_member *)cwi_alloc((uint64_t)n * sizeof *to);
	if (!from || !to)
		return 0;
	n = 0;
	for (cw_value *c = cw_first(object); c; c = cw_next(c), n++) {
		from[n].key = cw_key(c);
		from[n].value = c;
		sorted &= n == 0 || cwi_before(from[n - 1].key, from[n].key);
	}
	for (uint32_t width = 1; !sorted && width < n; width *= 2) {
		for (uint32_t low = 0; low < n; low += 2 * width) {
			uint32_t middle = low + width < n ? low + width : n, end = middle + width < n ? middle + width : n, a = low, b = middle;
			for (uint32_t i = low; i < end; i++)
				to[i] = a < middle && (b == end || !cwi_before(from[b].key, from[a].key)) ? from[a++] : from[b++];
		}
		cwi_member *swap = from;
		from = to;
		to = swap;
	}
	for (uint32_t i = 0; i < n; i++)
		from[i].value->next = i + 1 < n ? from[i + 1].value : NULL;
	object->first = n ? from[0].value : NULL;
	object->last = n ? from[n - 1].value : NULL;
	return 1;
}

static void cwi_add_opening(cwi_text *t, const cw_value *v)
{
	if (v->parent && *v->parent->at == '{') {
		cwi_add(t, v->key, v->key_len);
		cwi_add_byte(t, ':');
	}
}

/* Appends a document as an API server sends it to the next conversion: without white space, the members of each object
 * sorted by their keys, the numbers as it writes them. Nothing recurses. */
static void cwi_add_served(cwi_text *t, cw_value *root)
{
	cw_value *v = root;
	while (v) {
		cw_type type = cw_typeof(v);
		cw_str text = {"", 0};
		cwi_add_opening(t, v);
		if (type >= CW_ARRAY) {
			if (type == CW_OBJECT && !cwi_sort_members(v)) {
				t->failed = 1;
				return;
			}
			cwi_add_byte(t, *v->at);
			cw_value *child = cw_first(v);
			if (child) {
				v = child;
				continue;
			}
			cwi_add_byte(t, type == CW_OBJECT ? '}' : ']');
		} else {
			cw_raw(v, NULL, &text);
			if (type == CW_NUMBER)
				cwi_add_served_number(t, text);
			else
				cwi_add(t, text.at, text.len);
		}
		cw_value *next = NULL;
		while (v != root && !(next = cw_next(v))) {
			v = v->parent;
			cwi_add_byte(t, *v->at == '{' ? '}' : ']');
		}
		if (next)
			cwi_add_byte(t, ',');
		v = next;
	}
}

/* ---- lossless ---------------------------------------------------------------------------------------------------------- */

/* Two objects, or arrays of the same length, that are being compared, within others. */
typedef struct cwi_comparing {
	struct cwi_comparing *outer;
	cw_value *was, *again;         /* both of them */
	cw_value *child, *other;       /* the next one of was; and of again: its element, or what of it may be new */
	uint32_t index, pointer_len;
	int new_ones;                  /* all of was is done: what only again has comes next */
} cwi_comparing;

static cwi_comparing *cwi_compare(cwi_comparing *outer, cw_value *was, cw_value *again, uint32_t pointer_len)
{
	cwi_comparing *c = (cwi_comparing *)cwi_alloc(sizeof *c);
	if (!c) {
		cwi_fail_memory(was->document);
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

static uint32_t cwi_children(cw_value *v)
{
	uint32_t n = 0;
	for (cw_value *c = cw_first(v); c; c = cw_next(c))
		n++;
	return n;
}

static int cwi_alike(cw_value *a, cw_value *b)
{
	cw_str x = {"", 0}, y = {"", 0};
	cw_raw(a, NULL, &x);
	cw_raw(b, NULL, &y);
	return cwi_same_text(x, y);
}

/* Copies a pointer, which goes on growing, and keeps what is there, or that nothing was. */
static void cwi_keep_difference(cwi_document *d, const cwi_text *pointer, cw_value *value)
{
	cwi_text copy = {NULL, 0, 0, 0};
	cw_str all = {NULL, 0}, raw = {NULL, 0};
	cwi_add(&copy, pointer->at, pointer->len);
	if (value)
		cw_raw(value, NULL, &raw);
	cwi_keep_at(d, all, cwi_result(d, copy), raw);
}

/* Keeps in d what differs between two objects. */
static void cwi_keep_differences(cwi_document *d, cw_value *was, cw_value *again)
{
	cwi_text pointer = {NULL, 0, 0, 0};
	cwi_comparing *top = cwi_compare(NULL, was, again, 0);
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
			cwi_add_token(&pointer, key);
		else
			cwi_add_index(&pointer, top->index++);
		at.at = pointer.at;
		at.len = pointer.len;
		if (top->new_ones) {
			top->other = cw_next(a);
			if (cw_typeof(a) != CW_NULL && !cwi_find_text(top->was, key) && cwi_restorable(at))
				cwi_keep_difference(d, &pointer, NULL); /* invented by the conversion back */
			continue;
		}
		cw_value *b = object ? cwi_find_text(top->again, key) : top->other;
		if (!object)
			top->other = cw_next(top->other);
		top->child = cw_next(a);
		if (!cwi_restorable(at))
			continue;
		if (cw_typeof(b) <= CW_NULL) {
			if (cw_typeof(a) != CW_NULL)
				cwi_keep_difference(d, &pointer, a);
		} else if (cwi_alike(a, b)) {
			continue;
		} else if (cw_typeof(a) == cw_typeof(b) && (cw_typeof(a) == CW_OBJECT || (cw_typeof(a) == CW_ARRAY && cwi_children(a) == cwi_children(b)))) {
			top = cwi_compare(top, a, b, pointer.len);
		} else if (cw_hash(a) != cw_hash(b)) {
			cwi_keep_difference(d, &pointer, a);
		}
	}
	if (pointer.failed)
		cwi_fail_memory(d);
}

int cw_lossless(cw_object *o, int (*convert)(cw_object *o), int (*back)(cw_object *o))
{
	cwi_document *d = o->document;
	cw_str text = {"", 0};
	if (cw_restore(o) < 0 || convert(o) < 0 || d->error.at)
		return -1;
	if (!cwi_keeper_of(d))
		return d->error.at ? -1 : 0;
	cwi_put_back(o);
	cw_set_string(o, "apiVersion", d->conversion->to);
	cw_raw(o, NULL, &text);
	cw_value *again = d->error.at ? NULL : cwi_open_copy(o, text);
	if (again) {
		cwi_text sent = {NULL, 0, 0, 0};
		cwi_add_served(&sent, again);
		cw_str served = {sent.at, sent.len};
		again = sent.failed ? NULL : cwi_open_copy(o, served);
	}
	cwi_document *original = (cwi_document *)cwi_alloc(sizeof *original);
	cw_value *was = original ? cwi_open_document(original, d->text, d->end) : NULL;
	if (!was || !again) {
		cwi_fail_memory(d);
		return -1;
	}
	cwi_current = again->document; /* what goes wrong in the conversion back is no fault of o */
	int refused = back(again) < 0 || again->document->error.at;
	cwi_current = d;
	if (refused) {
		cw_str title = cwi_title(o), from = cwi_bare(d->conversion->from);
		cw_log(CWI_LOG_WARN, cw_format(o, "%.*s cannot be converted back to %.*s, so nothing was kept for it", CW_ARG(title), CW_ARG(from)));
		return 0;
	}
	cwi_keep_differences(d, was, again);
	return d->error.at ? -1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_IMPLEMENTED */
