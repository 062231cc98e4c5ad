/* crosswalk.h - converter modules for the Crosswalk gateway, in C (C99 and later, or C++).
 *
 * A module converts the objects of one kind of custom resource from one API version to another. One file of it says
 *
 *	#define CROSSWALK_IMPLEMENTATION
 *	#include "crosswalk.h"
 *
 *	static int v1_to_v2(cw_object *o)
 *	{
 *		cw_rename(cw_get(o, "spec"), "replicas", "size");
 *		return 0;
 *	}
 *
 *	static const cw_conversion conversions[] = {
 *		{"stable.example.com/v1", "stable.example.com/v2", v1_to_v2},
 *	};
 *	CW_MODULE(conversions, "name", "1.0.0", "Apache-2.0")
 *
 * and it is built, without any library, with
 *
 *	clang --target=wasm32-unknown-unknown -O2 -ffreestanding -nostdlib -msimd128 -mbulk-memory -I <sdk/c>
 *	      -Wl,--no-entry -Wl,--strip-all -Wl,--stack-first -o <name>.wasm <name>.c
 *
 * The object is its JSON text: the SDK reads it only as far as the conversion asks, and copies all
 * unedited text to the output byte for byte. The gateway has checked the text; text that is not
 * JSON leads to a refusal at most. Values and strings are valid until the conversion returns.
 * There are no threads.
 *
 * Absent and wrong. Server-side apply converts fragments of objects, so a value that is absent in
 * the input should be absent in the output. A member that is missing or null is absent: cw_get
 * returns NULL, readers return 0, removing, renaming and moving do nothing, and all of them accept
 * NULL as a value. A value of another type is wrong: readers and edits return -1, and the object
 * is refused with a message that names the path and both types.
 *
 * Keys are NUL-terminated UTF-8. Where a function takes a value and a key, a key of NULL means the value itself.
 *
 * Out of memory: the module crashes, and logs the reason if there is room to; the batch fails. No buffer is overrun.
 *
 * Names that begin with cw_ and CW_ are the interface. Names that begin with cwi_ and CWI_ are internal and may change in any release.
 */
#ifndef CROSSWALK_H
#define CROSSWALK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text in UTF-8, not NUL-terminated. For printf-like formats: "%.*s", CW_ARG(text). */
typedef struct {
	const char *at;
	uint32_t len;
} cw_str;

#define CW_ARG(text) (int)(text).len, (text).at

/* One JSON value of the object, and the object as a whole. */
typedef struct cw_value cw_value;
typedef cw_value cw_object;

typedef enum { CW_ABSENT, CW_NULL, CW_BOOL, CW_NUMBER, CW_STRING, CW_ARRAY, CW_OBJECT } cw_type;

/* One direction between two versions. convert returns 0 when the object is converted, or -1 when it is refused; its
 * apiVersion is set by the SDK. */
typedef struct {
	const char *from, *to; /* "group/version" */
	int (*convert)(cw_object *o);
} cw_conversion;

#if defined(__GNUC__) || defined(__clang__)
#define CWI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CWI_PRINTF(text, first)
#endif

/* Refuses the object; the text is shown to the kubectl user. Returns -1, so that a converter can
 * "return cw_refuse(...)". The format supports %s, %.*s, %d, %u and %%. */
int cw_refuse(cw_object *o, const char *format, ...) CWI_PRINTF(2, 3);

/* Returns 1 if the object is already refused, by cw_refuse or because of a wrong value. */
int cw_refused(const cw_object *o);

/* Reading. cw_get returns NULL if the member is absent. The others return 1 and set *out, or 0 if absent, or -1 if wrong. */
cw_value *cw_get(cw_value *v, const char *key);
int cw_string(cw_value *v, const char *key, cw_str *out); /* unescaped */
int cw_int(cw_value *v, const char *key, int64_t *out);   /* a fraction, an exponent, more than 64 bits are wrong */
int cw_bool(cw_value *v, const char *key, int *out);
int cw_list(cw_value *v, const char *key, cw_value **out); /* an array, for cw_first and cw_next */
int cw_map(cw_value *v, const char *key, cw_value **out);  /* an object, likewise */
int cw_raw(cw_value *v, const char *key, cw_str *out);     /* the JSON text, null included; never -1 */
cw_type cw_typeof(const cw_value *v);
int cw_is(cw_str text, const char *s); /* 1 if they are equal */

/* The members of an object or the elements of an array: for (e = cw_first(list); e; e = cw_next(e)).
 * The loop may edit, rename and remove the current one. cw_key returns the key of a member. */
cw_value *cw_first(cw_value *v);
cw_value *cw_next(cw_value *v);
cw_str cw_key(cw_value *v);

/* Setting: in place of what is there, or as the last member. They return 0, or -1 if v is absent or no object. Raw JSON is
 * checked. cw_make returns the object at key, made if it is absent or null; NULL if it is something else. */
int cw_set_string(cw_value *v, const char *key, const char *s);
int cw_set_str(cw_value *v, const char *key, cw_str s);
int cw_set_int(cw_value *v, const char *key, int64_t i);
int cw_set_bool(cw_value *v, const char *key, int b);
int cw_set_raw(cw_value *v, const char *key, cw_str json);
int cw_append_str(cw_value *v, const char *key, cw_str s); /* to the array at key, made if it is absent or null */
int cw_append_raw(cw_value *v, const char *key, cw_str json);
cw_value *cw_make(cw_value *v, const char *key);

/* These return 1, or 0 if there was nothing at key, or -1 (a new key that is taken, a value that is no object). A renamed
 * member keeps its place; a moved one becomes the last member of the object to. */
int cw_remove(cw_value *v, const char *key);
int cw_rename(cw_value *v, const char *key, const char *new_key);
int cw_move(cw_value *v, const char *key, cw_value *to, const char *new_key);

/* Metadata, of which changes to labels and annotations alone reach the API server. Annotations can
 * keep fields that the other version lacks. Removing the last one removes the map. */
int cw_label(cw_object *o, const char *name, cw_str *out);
int cw_set_label(cw_object *o, const char *name, cw_str value);
int cw_remove_label(cw_object *o, const char *name);
int cw_annotation(cw_object *o, const char *name, cw_str *out);
int cw_set_annotation(cw_object *o, const char *name, cw_str value);
int cw_remove_annotation(cw_object *o, const char *name);

/* Text that lives as long as the object: formatted as in cw_refuse and followed by a NUL, quoted as JSON, and where a value is
 * (".spec.list[0].name"). */
cw_str cw_format(cw_object *o, const char *format, ...) CWI_PRINTF(2, 3);
cw_str cw_quoted(cw_object *o, cw_str text);
cw_str cw_location(cw_value *v, const char *key);

/* A JSON text as a value of its own, from an annotation for example. One that is not JSON refuses o. In a test, o may be NULL: the
 * value is valid until the next cw_request. */
cw_value *cw_parse(cw_object *o, cw_str json);

/* A line in the gateway's log; level 0 debug, 1 info, 2 warn, 3 error. The user does not see it. */
void cw_log(int level, cw_str text);

/* One field that the module reads or writes of objects in a version ("group/version"): "spec.size", "spec.disks[].name",
 * "metadata.annotations['example.com/kept']". docs/spec/abi.md of the gateway has the rules. */
typedef struct {
	const char *version, *path; /* path NULL: a version of which nothing is read or written */
} cw_field;

/* Lists the conversions of a module and describes it, once per module, in string literals without
 * quotes and backslashes. */
#define CW_MODULE(table, name, version, licence)                                                    \
	const cw_field *const cwi_module_fields = NULL;                                              \
	const uint32_t cwi_module_field_count = 0;                                                   \
	CWI_MODULE_CONVERSIONS(table, name, version, licence)

/* The same for a module that declares its fields: the gateway shows it only these fields and lets
 * it change only these. Every version must be in the list. Declare a list as a whole if the module
 * adds, removes or sorts its elements. */
#define CW_MODULE_FIELDS(table, fields, name, version, licence)                                     \
	const cw_field *const cwi_module_fields = fields;                                            \
	const uint32_t cwi_module_field_count = (uint32_t)(sizeof fields / sizeof fields[0]);        \
	CWI_MODULE_CONVERSIONS(table, name, version, licence)

#ifndef CW_SDK
#define CW_SDK "\"language\":\"c\",\"sdk\":\"crosswalk-c/1.0.0\""
#endif

/* What is left to do when a converter has returned: crosswalk_stash.h defines it. */
#define CWI_AT_END NULL

#define CWI_MODULE_CONVERSIONS(table, name, version, licence)                                       \
	void (*const cwi_module_at_end)(cw_object *o) = CWI_AT_END;                                  \
	const cw_conversion *const cwi_module_conversions = table;                                   \
	const uint32_t cwi_module_count = (uint32_t)(sizeof table / sizeof table[0]);                \
	const char *const cwi_module_description = "{" CW_SDK ","                                    \
		"\"name\":\"" name "\",\"version\":\"" version "\",\"licence\":\"" licence "\"}";
/* An interpreter, whose tables are known at start only, defines CWI_TABLE as nothing. */
#ifndef CWI_TABLE
#define CWI_TABLE const
#endif
extern void (*const cwi_module_at_end)(cw_object *o);
extern const cw_conversion *CWI_TABLE cwi_module_conversions;
extern CWI_TABLE uint32_t cwi_module_count;
extern const char *CWI_TABLE cwi_module_description;
extern const cw_field *CWI_TABLE cwi_module_fields;
extern CWI_TABLE uint32_t cwi_module_field_count;

/* The functions that the gateway calls, for native programs such as tests. cw_request returns a
 * buffer for a request frame of docs/spec/abi.md, valid until the next call, or NULL; cw_answer
 * converts it and returns the response frame, at NULL if it fails. */
char *cw_request(uint32_t size);
cw_str cw_answer(const char *request, uint32_t size);

/* Returns 1 if the path is declared for the conversion in hand, as it is written here, or if the module declares no fields. */
int cw_shown(const cw_object *o, const char *path);

/* Returns the module's description as JSON, valid until the next cw_request. */
cw_str cw_describe(void);

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_H */

#if defined(CROSSWALK_IMPLEMENTATION) && !defined(CROSSWALK_IMPLEMENTED)
#define CROSSWALK_IMPLEMENTED

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif
#if !defined(__wasm__) || defined(__wasi__)
#include <stdlib.h>
#include <string.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory ------------------------------------------------------------------------------------------------------------
 * One arena for a batch: the request, the response, and behind them what an object needs, which the next one reuses. The
 * scanner reads whole vectors, so everything has CWI_PAD bytes behind it that may be read. */

enum { CWI_PAD = 64 };

/* Memory that an arena has got from the system. */
typedef struct cwi_block {
	struct cwi_block *before;
} cwi_block;

typedef struct {
	char *at, *end; /* what is free; CWI_PAD bytes follow */
	cwi_block *blocks; /* the last one got; unused where memory is one piece */
} cwi_arena;

static cwi_arena cwi_memory;

#if defined(__wasm__) && !defined(__wasi__)
/* Freestanding: everything behind the data is ours, and grows by pages. An interpreter whose program follows its data says where
 * that ends. */
extern char __heap_base;
#ifndef CWI_HEAP_START
#define CWI_HEAP_START (&__heap_base)
#endif

static int cwi_more(uint64_t size)
{
	if (!cwi_memory.at) {
		cwi_memory.at = (char *)(((uintptr_t)CWI_HEAP_START + 15) & ~(uintptr_t)15);
		cwi_memory.end = cwi_memory.at;
	}
	uint64_t need = (uintptr_t)cwi_memory.at + size + CWI_PAD;
	uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
	if (need > have) {
		uint64_t pages = (need - have + 0xffff) >> 16;
		if (need > 0xffff0000u || __builtin_wasm_memory_grow(0, (uintptr_t)pages) == (uintptr_t)-1)
			return 0;
		have += pages << 16;
	}
	cwi_memory.end = (char *)(uintptr_t)(have - CWI_PAD);
	return 1;
}

static void cwi_reset(cwi_arena mark)
{
	cwi_memory.at = mark.at; /* what was grown stays ours */
}

#ifndef __wasm_bulk_memory__
/* The compiler calls these for structs, if there are no instructions for it. Weak: yours come first. The stores are volatile, or it
 * would make calls of these functions of them. */
__attribute__((weak)) void *memcpy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

__attribute__((weak)) void *memset(void *to, int c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = (char)c;
	return to;
}
#endif

#else
/* Beside a C library, whose malloc owns the memory: blocks of it. */
static int cwi_more(uint64_t size)
{
	uint64_t want = size < (64 << 10) ? (64 << 10) : size;
	cwi_block *b = want > 0xf0000000u ? NULL : (cwi_block *)malloc((size_t)want + 16 + CWI_PAD);
	if (!b)
		return 0;
	b->before = cwi_memory.blocks;
	cwi_memory.blocks = b;
	cwi_memory.at = (char *)b + 16;
	cwi_memory.end = cwi_memory.at + want;
	memset(cwi_memory.end, 0, CWI_PAD);
	return 1;
}

static void cwi_reset(cwi_arena mark)
{
	while (cwi_memory.blocks != mark.blocks) {
		cwi_block *before = cwi_memory.blocks->before;
		free(cwi_memory.blocks);
		cwi_memory.blocks = before;
	}
	cwi_memory = mark;
}
#endif

/* Returns size bytes, aligned to 8, or NULL. */
static void *cwi_alloc(uint64_t size)
{
	size = (size + 7) & ~(uint64_t)7;
	if (size > (uint64_t)(cwi_memory.end - cwi_memory.at) && !cwi_more(size))
		return NULL;
	void *p = cwi_memory.at;
	cwi_memory.at += size;
	return p;
}

/* Copies n bytes. In WebAssembly, short copies are done in vectors and may write up to 15 bytes too many: where this copies
 * to there is always CWI_PAD of room. */
static inline void cwi_copy(char *to, const char *from, uint32_t n)
{
#ifdef __wasm_simd128__
	if (n <= 64) {
		for (uint32_t i = 0; i < n; i += 16)
			wasm_v128_store(to + i, wasm_v128_load(from + i));
		return;
	}
#endif
#if defined(__wasm__) && !defined(__wasi__) && !defined(__wasm_bulk_memory__)
	for (uint32_t i = 0; i < n; i++)
		((volatile char *)to)[i] = from[i]; /* volatile: or it becomes a call of memcpy, which nobody has */
#else
	__builtin_memcpy(to, from, n);
#endif
}

static inline uint64_t cwi_load(const char *p)
{
	uint64_t w;
	__builtin_memcpy(&w, p, 8);
	return w;
}

static inline uint32_t cwi_load4(const char *p)
{
	uint32_t w;
	__builtin_memcpy(&w, p, 4);
	return w;
}

/* Compares words, the last of which overlap: most keys are two. It reads nothing behind the texts. */
static int cwi_equal(const char *a, const char *b, uint32_t n)
{
	if (n >= 8) {
		for (uint32_t i = 0; i < n - 8; i += 8)
			if (cwi_load(a + i) != cwi_load(b + i))
				return 0;
		return cwi_load(a + n - 8) == cwi_load(b + n - 8);
	}
	if (n >= 4)
		return cwi_load4(a) == cwi_load4(b) && cwi_load4(a + n - 4) == cwi_load4(b + n - 4);
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

static uint32_t cwi_length(const char *s)
{
#ifdef __wasm_simd128__
	/* A vector at a multiple of 16 never crosses the end of memory. */
	uint32_t before = (uint32_t)((uintptr_t)s & 15);
	const char *p = s - before;
	uint32_t m = (uint32_t)wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(p), wasm_i8x16_splat(0))) >> before << before;
	while (!m) {
		p += 16;
		m = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(p), wasm_i8x16_splat(0)));
	}
	return (uint32_t)(p - s) + (uint32_t)__builtin_ctz(m);
#else
	uint32_t n = 0;
	while (s[n])
		n++;
	return n;
#endif
}

/* Text that grows. When memory is exhausted it has failed, and nothing is added any more. */
typedef struct {
	char *at;
	uint32_t len, room;
	int failed;
} cwi_text;

/* Gives the text room for n more bytes and CWI_PAD; 0 if there is no memory. */
static int cwi_grow(cwi_text *t, uint32_t n)
{
	uint64_t need = (uint64_t)t->len + n + CWI_PAD, room = need + need / 2;
	if (t->failed)
		return 0;
	char *at = room > 0xf0000000u ? NULL : (char *)cwi_alloc(room);
	if (!at) {
		t->failed = 1;
		return 0;
	}
	if (t->len)
		cwi_copy(at, t->at, t->len);
	t->at = at;
	t->room = (uint32_t)room;
	return 1;
}

/* Makes sure that there is room for n more bytes and CWI_PAD; 0 if there is no memory. */
static inline int cwi_room(cwi_text *t, uint32_t n)
{
	return (uint64_t)t->len + n + CWI_PAD <= t->room && !t->failed ? 1 : cwi_grow(t, n);
}

static void cwi_add(cwi_text *t, const char *from, uint32_t n)
{
	if (cwi_room(t, n)) {
		cwi_copy(t->at + t->len, from, n);
		t->len += n;
	}
}

static void cwi_add_byte(cwi_text *t, char c)
{
	if (cwi_room(t, 1))
		t->at[t->len++] = c;
}

static void cwi_add_string(cwi_text *t, const char *s)
{
	cwi_add(t, s, cwi_length(s));
}

/* ---- scanning ----------------------------------------------------------------------------------------------------------
 * The text is trusted to be valid JSON. On anything else these return NULL or a wrong position, never one beyond end. */

#ifndef __wasm_simd128__
/* One bit for each byte of w that is c. The bytes of w are taken in little-endian order, as in WebAssembly. */
static inline uint64_t cwi_matches(uint64_t w, char c)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7f;
	uint64_t x = w ^ (0x0101010101010101 * (uint8_t)c);
	uint64_t top = ~(((x & low) + low) | x) & ~low; /* 0x80 where they are equal */
	return ((top >> 7) * 0x0102040810204080) >> 56;
}
#endif

static inline const char *cwi_skip_space(const char *p, const char *end)
{
	while (p < end && (uint8_t)*p <= ' ')
		p++;
	return p;
}

/* Returns the end of the string whose first character is at p, behind its quote, or NULL; sets *escaped if it has escapes. */
static const char *cwi_string_end(const char *p, const char *end, int *escaped)
{
	while (p < end) {
#ifdef __wasm_simd128__
		v128_t w = wasm_v128_load(p);
		uint32_t m = wasm_i8x16_bitmask(wasm_v128_or(wasm_i8x16_eq(w, wasm_i8x16_splat('"')), wasm_i8x16_eq(w, wasm_i8x16_splat('\\'))));
		const int step = 16;
#else
		uint64_t w = cwi_load(p);
		uint32_t m = (uint32_t)(cwi_matches(w, '"') | cwi_matches(w, '\\'));
		const int step = 8;
#endif
		if (!m) {
			p += step;
			continue;
		}
		p += __builtin_ctz(m);
		if (p >= end)
			break;
		if (*p == '"')
			return p + 1;
		*escaped = 1;
		p += 2;
	}
	return NULL;
}

/* What 64 bytes of JSON have: one bit for each byte. */
typedef struct {
	uint64_t quotes, slashes, opens, closes;
} cwi_marks;

static inline cwi_marks cwi_mark(const char *p)
{
	cwi_marks m = {0, 0, 0, 0};
#ifdef __wasm_simd128__
	for (int i = 0; i < 64; i += 16) {
		v128_t w = wasm_v128_load(p + i);
		v128_t folded = wasm_v128_or(w, wasm_i8x16_splat(0x20)); /* '[' becomes '{', ']' becomes '}' */
		m.quotes |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(w, wasm_i8x16_splat('"'))) << i;
		m.slashes |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(w, wasm_i8x16_splat('\\'))) << i;
		m.opens |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(folded, wasm_i8x16_splat('{'))) << i;
		m.closes |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(folded, wasm_i8x16_splat('}'))) << i;
	}
#else
	for (int i = 0; i < 64; i += 8) {
		uint64_t w = cwi_load(p + i), folded = w | 0x2020202020202020;
		m.quotes |= cwi_matches(w, '"') << i;
		m.slashes |= cwi_matches(w, '\\') << i;
		m.opens |= cwi_matches(folded, '{') << i;
		m.closes |= cwi_matches(folded, '}') << i;
	}
#endif
	return m;
}

/* Returns the end of the object or array that begins at p, or NULL. */
static const char *cwi_container_end(const char *p, const char *end)
{
	uint64_t inside = 0; /* all ones if p is inside a string */
	uint64_t escape = 0; /* 1 if the byte at p is escaped */
	uint32_t depth = 0;
	for (; p < end; p += 64) {
		cwi_marks m = cwi_mark(p);
		uint64_t escaped = escape;
		escape = 0;
		for (uint64_t s = m.slashes & ~escaped; s;) {
			uint64_t bit = s & (0 - s);
			escaped |= bit << 1;
			escape |= bit >> 63;
			s &= ~(bit | bit << 1); /* an escaped backslash escapes nothing */
		}
		/* A byte is inside a string if the number of quotes up to it, and before this block, is odd. */
		uint64_t q = m.quotes & ~escaped;
		q ^= q << 1, q ^= q << 2, q ^= q << 4, q ^= q << 8, q ^= q << 16, q ^= q << 32;
		q ^= inside;
		inside = 0 - (q >> 63);
		m.opens &= ~q;
		m.closes &= ~q;
		uint32_t closing = (uint32_t)__builtin_popcountll(m.closes);
		if (closing < depth) {
			depth += (uint32_t)__builtin_popcountll(m.opens) - closing;
			continue;
		}
		for (uint64_t b = m.opens | m.closes; b; b &= b - 1) {
			if (m.opens & b & (0 - b)) {
				depth++;
			} else if (--depth == 0) {
				p += __builtin_ctzll(b) + 1;
				return p <= end ? p : NULL;
			}
		}
	}
	return NULL;
}

/* Returns the end of the value that begins at p, or NULL. */
static const char *cwi_value_end(const char *p, const char *end)
{
	if (p >= end)
		return NULL;
	if (*p == '"') {
		int escaped;
		return cwi_string_end(p + 1, end, &escaped);
	}
	if (*p == '{' || *p == '[')
		return cwi_container_end(p, end);
	const char *start = p;
	while (p < end && *p != ',' && *p != '}' && *p != ']' && (uint8_t)*p > ' ')
		p++;
	return p > start ? p : NULL;
}

/* ---- the document ------------------------------------------------------------------------------------------------------
 * A JSON text with a lazy index. A search goes from the front and stops where it finds what it looks for. The values on its
 * way have no known end; they are called open, each is the last child of the one before, and nothing behind pos has been
 * looked at. Asking for something further on, or for the end of an open value, goes on from there. */

typedef struct {
	const char *text, *end;
	const char *pos;     /* how far the text has been read */
	cw_value *open;      /* the innermost value that is being listed; NULL = none */
	cw_value *root;
	cw_str error;        /* the first thing that went wrong, or what cw_refuse says; at NULL = none */
	const cw_conversion *conversion; /* that is going on; NULL = none */
	struct cwi_keeper *keeper;        /* of what it keeps and puts back (crosswalk_stash.h); NULL = nothing */
	void (*at_end)(cw_object *o);    /* what is left to do when the converter has returned; NULL = nothing */
} cwi_document;

struct cw_value {
	const char *key;     /* with its quotes; where the value is, for elements and the root */
	const char *at, *end; /* the value; end NULL as long as it is not known */
	cw_value *parent, *next, *first, *last;
	cw_value *found;     /* the member that was asked for last */
	cwi_document *document;
	uint32_t key_len;
	uint32_t flags;
};

enum {
	CWI_ENTERED = 1, /* an object or array whose members are, or are being, listed */
	CWI_EDITED = 2,  /* its members are not those of its text any more */
	CWI_GONE = 4,    /* deleted, or moved elsewhere as another value */
	CWI_LOOSE = 8,   /* key or value are new, or not where the text has them */
	CWI_ESCAPED = 16 /* the key has escapes */
};

static const cw_str cwi_no_memory = {"the converter ran out of memory", 31};
static cwi_document *cwi_current; /* of the object that is being converted */

static void cwi_fail(cwi_document *d, cwi_text t)
{
	if (d->error.at)
		return;
	d->error.at = t.failed ? cwi_no_memory.at : t.at ? t.at : "";
	d->error.len = t.failed ? cwi_no_memory.len : t.len;
}

static void cwi_fail_memory(cwi_document *d)
{
	cwi_text none = {NULL, 0, 0, 1};
	cwi_fail(d, none);
}

static void cwi_add_int(cwi_text *t, int64_t i)
{
	char digits[20];
	int at = 20;
	uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	do
		digits[--at] = (char)('0' + u % 10);
	while (u /= 10);
	if (i < 0)
		cwi_add_byte(t, '-');
	for (; at < 20; at++)
		cwi_add_byte(t, digits[at]);
}

/* The text is not JSON: it ends all reading, every open value ends where the text does. */
static void cwi_malformed(cwi_document *d, const char *at)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_string(&t, "the object is not valid JSON at byte ");
	cwi_add_int(&t, at - d->text);
	cwi_fail(d, t);
	for (cw_value *v = d->root; v; v = v->last)
		if (!v->end)
			v->end = d->end;
	d->open = NULL;
	d->pos = d->end;
}

static cw_value *cwi_new(cwi_document *d, cw_value *parent, const char *at, const char *end)
{
	cw_value *v = (cw_value *)cwi_alloc(sizeof *v);
	if (!v)
		return NULL;
	v->key = v->at = at;
	v->end = end;
	v->parent = parent;
	v->next = v->first = v->last = v->found = NULL;
	v->document = d;
	v->key_len = v->flags = 0;
	if (parent) {
		if (parent->last)
			parent->last->next = v;
		else
			parent->first = v;
		parent->last = v;
	}
	return v;
}

/* Reads what follows a value (or an opening bracket) in n. Adds one more child, whose value begins where it points, or
 * returns NULL and sets *pos behind the closing bracket; or NULL after a failure. */
static cw_value *cwi_child(cw_value *n, const char **pos, const char *end)
{
	cwi_document *d = n->document;
	const char *p = cwi_skip_space(*pos, end);
	if (p < end && *p == ',')
		p = cwi_skip_space(p + 1, end);
	if (p >= end) {
		cwi_malformed(d, p);
		return NULL;
	}
	if (*p == '}' || *p == ']') {
		*pos = p + 1;
		return NULL;
	}
	const char *key = p;
	uint32_t key_len = 0;
	int escaped = 0;
	if (*n->at == '{') {
		const char *key_end = *p == '"' ? cwi_string_end(p + 1, end, &escaped) : NULL;
		if (!key_end) {
			cwi_malformed(d, p);
			return NULL;
		}
		key_len = (uint32_t)(key_end - key);
		p = cwi_skip_space(key_end, end);
		p = p < end && *p == ':' ? cwi_skip_space(p + 1, end) : end;
		if (p == end) {
			cwi_malformed(d, key_end);
			return NULL;
		}
	}
	cw_value *c = cwi_new(d, n, p, NULL);
	if (!c) {
		cwi_fail_memory(d);
		cwi_malformed(d, p); /* the first failure counts; this one ends all reading */
		return NULL;
	}
	c->key = key;
	c->key_len = key_len;
	c->flags = escaped ? CWI_ESCAPED : 0;
	return c;
}

static cw_value *cwi_scan(cw_value *n);

/* Makes n, which is open, the innermost open value and reads up to the end of its last child. */
static void cwi_settle(cw_value *n)
{
	cwi_document *d = n->document;
	while (d->open && d->open != n)
		for (cw_value *inner = d->open; d->open == inner;)
			cwi_scan(inner);
	cw_value *last = n->last;
	if (last && !last->end) {
		last->end = cwi_value_end(last->at, d->end);
		if (last->end)
			d->pos = last->end;
		else
			cwi_malformed(d, last->at);
	}
}

/* Lists one more member of n, which is open, and returns it, its end not known; NULL when there is none: n's end is known
 * then. */
static cw_value *cwi_scan(cw_value *n)
{
	cwi_document *d = n->document;
	cwi_settle(n);
	if (n->end)
		return NULL;
	const char *pos = d->pos;
	cw_value *c = cwi_child(n, &pos, d->end);
	if (c) {
		d->pos = c->at;
	} else if (!n->end) {
		n->end = d->pos = pos;
		d->open = n->parent;
	}
	return c;
}

/* Begins to list the members of n, an object or array. */
static void cwi_enter(cw_value *n)
{
	cwi_document *d = n->document;
	if (n->flags & CWI_ENTERED)
		return;
	n->flags |= CWI_ENTERED;
	if (!n->end) { /* the value that the search stopped at */
		d->open = n;
		d->pos = n->at + 1;
		return;
	}
	/* Skipped before, or put in by an edit: its end is known, and all of it is listed now. */
	const char *pos = n->at + 1;
	cw_value *c;
	while ((c = cwi_child(n, &pos, n->end)) != NULL) {
		pos = c->end = cwi_value_end(c->at, n->end);
		if (!pos) {
			c->end = n->end;
			cwi_malformed(d, c->at);
			return;
		}
	}
}

/* Makes sure that n's end is known. */
static void cwi_finish(cw_value *n)
{
	while (!n->end) {
		if (n->flags & CWI_ENTERED) {
			cwi_scan(n);
		} else if ((n->end = cwi_value_end(n->at, n->document->end)) != NULL) {
			n->document->pos = n->end;
		} else {
			cwi_malformed(n->document, n->at);
			n->end = n->document->end;
		}
	}
}

static uint32_t cwi_unescape(char *to, const char *p, const char *end);

static int cwi_key_is(const cw_value *c, const char *key, uint32_t len)
{
	if (!(c->flags & CWI_ESCAPED))
		return c->key_len == len + 2 && cwi_equal(c->key + 1, key, len);
	if (c->key_len < len + 2)
		return 0;
	cwi_arena mark = cwi_memory;
	char *plain = (char *)cwi_alloc(c->key_len);
	int same = plain && cwi_unescape(plain, c->key + 1, c->key + c->key_len - 1) == len && cwi_equal(plain, key, len);
	cwi_reset(mark);
	return same;
}

/* Returns the member with that key, null or not; NULL if there is none or n is no object. */
static cw_value *cwi_find_text(cw_value *n, cw_str key)
{
	if (!n || *n->at != '{')
		return NULL;
	cwi_enter(n);
	cw_value *c = n->found;
	if (c && !(c->flags & CWI_GONE) && cwi_key_is(c, key.at, key.len))
		return c;
	for (c = n->first; c; c = c->next)
		if ((c->key_len == key.len + 2 || c->flags & CWI_ESCAPED) && !(c->flags & CWI_GONE) && cwi_key_is(c, key.at, key.len))
			return n->found = c;
	while (!n->end)
		if ((c = cwi_scan(n)) != NULL && cwi_key_is(c, key.at, key.len))
			return n->found = c;
	return NULL;
}

static cw_value *cwi_find(cw_value *n, const char *key)
{
	cw_str text = {key, cwi_length(key)};
	return cwi_find_text(n, text);
}

cw_type cw_typeof(const cw_value *v)
{
	if (!v || v->at >= (v->end ? v->end : v->document->end))
		return CW_ABSENT;
	switch (*v->at) {
	case '{': return CW_OBJECT;
	case '[': return CW_ARRAY;
	case '"': return CW_STRING;
	case 't': case 'f': return CW_BOOL;
	case 'n': return CW_NULL;
	}
	return CW_NUMBER;
}

/* ---- text -------------------------------------------------------------------------------------------------------------- */

/* Returns the length of the UTF-8 sequence at p, at least 1, or 0 if it is none. */
static uint32_t cwi_utf8(const char *p, uint32_t left)
{
	const uint8_t *s = (const uint8_t *)p;
	uint32_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (n > left)
		return 0;
	for (uint32_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n > 2) {
		uint32_t second = s[1];
		if ((s[0] == 0xe0 && second < 0xa0) || (s[0] == 0xed && second > 0x9f) || (s[0] == 0xf0 && second < 0x90) || (s[0] == 0xf4 && second > 0x8f))
			return 0;
	}
	return n;
}

/* Says that s is ASCII that needs no escapes. With vectors it reads up to 15 bytes behind s, as cwi_copy does. */
static int cwi_is_plain(const char *s, uint32_t len)
{
#ifdef __wasm_simd128__
	for (uint32_t i = 0; i < len; i += 16) {
		v128_t w = wasm_v128_load(s + i);
		v128_t special = wasm_v128_or(wasm_i8x16_eq(w, wasm_i8x16_splat('"')), wasm_i8x16_eq(w, wasm_i8x16_splat('\\')));
		uint32_t m = wasm_i8x16_bitmask(wasm_v128_or(special, wasm_i8x16_lt(w, wasm_i8x16_splat(' ')))); /* signed: UTF-8 is below */
		if (len - i < 16)
			m &= (1u << (len - i)) - 1;
		if (m)
			return 0;
	}
#else
	for (uint32_t i = 0; i < len; i++)
		if ((int8_t)s[i] < ' ' || s[i] == '"' || s[i] == '\\')
			return 0;
#endif
	return 1;
}

/* Appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD. */
static void cwi_quote(cwi_text *t, const char *s, uint32_t len)
{
	static const char hex[] = "0123456789abcdef";
	if (cwi_is_plain(s, len)) {
		if (cwi_room(t, len + 2)) {
			char *to = t->at + t->len;
			to[0] = '"';
			cwi_copy(to + 1, s, len);
			to[len + 1] = '"';
			t->len += len + 2;
		}
		return;
	}
	cwi_add_byte(t, '"');
	for (uint32_t i = 0; i < len;) {
		uint32_t plain = i, n = 0;
		while (i < len && (uint8_t)s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && (n = cwi_utf8(s + i, len - i)) != 0)
			i += n;
		cwi_add(t, s + plain, i - plain);
		if (i == len)
			break;
		char c = s[i++];
		switch (c) {
		case '"': case '\\': break;
		case '\n': c = 'n'; break;
		case '\r': c = 'r'; break;
		case '\t': c = 't'; break;
		default:
			if ((uint8_t)c < ' ') {
				cwi_add(t, "\\u00", 4);
				cwi_add_byte(t, hex[(uint8_t)c >> 4]);
				cwi_add_byte(t, hex[c & 15]);
			} else {
				cwi_add(t, "\xef\xbf\xbd", 3);
			}
			continue;
		}
		cwi_add_byte(t, '\\');
		cwi_add_byte(t, c);
	}
	cwi_add_byte(t, '"');
}

/* Returns the value of four hexadecimal digits, or U+FFFD. */
static uint32_t cwi_hex4(const char *p, const char *end)
{
	uint32_t r = 0;
	if (end - p < 4)
		return 0xfffd;
	for (int i = 0; i < 4; i++) {
		char c = p[i], lower = (char)(c | 0x20);
		if (c >= '0' && c <= '9')
			r = r << 4 | (uint32_t)(c - '0');
		else if (lower >= 'a' && lower <= 'f')
			r = r << 4 | (uint32_t)(lower - 'a' + 10);
		else
			return 0xfffd;
	}
	return r;
}

/* Writes the text of a JSON string, given without its quotes, and returns its length, at most end - p. Surrogates without a
 * partner become U+FFFD. */
static uint32_t cwi_unescape(char *to, const char *p, const char *end)
{
	char *out = to;
	while (p < end) {
		char c = *p++;
		if (c != '\\' || p == end) {
			*out++ = c;
			continue;
		}
		c = *p++;
		switch (c) {
		case 'b': c = '\b'; break;
		case 'f': c = '\f'; break;
		case 'n': c = '\n'; break;
		case 'r': c = '\r'; break;
		case 't': c = '\t'; break;
		case 'u': {
			uint32_t r = cwi_hex4(p, end), low;
			p = end - p < 4 ? end : p + 4;
			if (r >= 0xd800 && r < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' && (low = cwi_hex4(p + 2, end)) >= 0xdc00 && low < 0xe000) {
				r = 0x10000 + ((r - 0xd800) << 10) + (low - 0xdc00);
				p += 6;
			}
			if (r >= 0xd800 && r < 0xe000)
				r = 0xfffd;
			if (r < 0x80) {
				*out++ = (char)r;
			} else if (r < 0x800) {
				*out++ = (char)(0xc0 | r >> 6);
				*out++ = (char)(0x80 | (r & 63));
			} else if (r < 0x10000) {
				*out++ = (char)(0xe0 | r >> 12);
				*out++ = (char)(0x80 | (r >> 6 & 63));
				*out++ = (char)(0x80 | (r & 63));
			} else {
				*out++ = (char)(0xf0 | r >> 18);
				*out++ = (char)(0x80 | (r >> 12 & 63));
				*out++ = (char)(0x80 | (r >> 6 & 63));
				*out++ = (char)(0x80 | (r & 63));
			}
			continue;
		}
		default: break; /* '"', '\\' and '/' stand for themselves */
		}
		*out++ = c;
	}
	return (uint32_t)(out - to);
}

/* Returns the text of the JSON string that is at p, with its quotes: in place if it has no escapes. */
static int cwi_plain(cwi_document *d, const char *p, const char *end, cw_str *out)
{
	int escaped = 0;
	if (end - p < 2)
		return -1; /* malformed; the error is noted */
	p++, end--;
	cwi_string_end(p, end + 1, &escaped);
	out->at = p;
	out->len = (uint32_t)(end - p);
	if (!escaped)
		return 1;
	char *to = (char *)cwi_alloc((uint64_t)(end - p) + CWI_PAD);
	if (!to) {
		cwi_fail_memory(d);
		return -1;
	}
	out->at = to;
	out->len = cwi_unescape(to, p, end);
	return 1;
}

/* Appends ".key", or "['key']" if key is not a plain word. */
static void cwi_add_key(cwi_text *t, cw_str key)
{
	int plain = key.len > 0;
	for (uint32_t i = 0; i < key.len; i++) {
		char c = key.at[i], lower = (char)(c | 0x20);
		int letter = (lower >= 'a' && lower <= 'z') || c == '_';
		if (!letter && (i == 0 || (c != '-' && (c < '0' || c > '9'))))
			plain = 0;
	}
	cwi_add_string(t, plain ? "." : "['");
	cwi_add(t, key.at, key.len);
	if (!plain)
		cwi_add_string(t, "']");
}

/* Appends where the member key of v is: ".spec.list[0].name". */
static void cwi_add_location(cwi_text *t, const cw_value *v, const char *key)
{
	uint32_t before = t->len, depth = 0;
	for (const cw_value *a = v; a && a->parent; a = a->parent)
		depth++;
	for (; depth > 0; depth--) {
		const cw_value *a = v;
		for (uint32_t up = 1; up < depth; up++)
			a = a->parent;
		if (*a->parent->at == '{') {
			cwi_add_key(t, cw_key((cw_value *)a));
			continue;
		}
		int64_t index = 0;
		for (const cw_value *c = a->parent->first; c && c != a; c = c->next)
			index += !(c->flags & CWI_GONE);
		cwi_add_byte(t, '[');
		cwi_add_int(t, index);
		cwi_add_byte(t, ']');
	}
	if (key) {
		cw_str k = {key, cwi_length(key)};
		cwi_add_key(t, k);
	}
	if (t->len == before)
		cwi_add_string(t, "the object");
}

static void cwi_add_format(cwi_text *t, const char *f, va_list args)
{
	for (; *f; f++) {
		const char *start = f;
		while (*f && *f != '%')
			f++;
		cwi_add(t, start, (uint32_t)(f - start));
		if (!*f)
			break;
		f++;
		if (f[0] == '.' && f[1] == '*' && f[2] == 's') {
			f += 2;
			int n = va_arg(args, int);
			const char *s = va_arg(args, const char *);
			cwi_add(t, s, n > 0 ? (uint32_t)n : 0);
		} else if (*f == 's') {
			cwi_add_string(t, va_arg(args, const char *));
		} else if (*f == 'd') {
			cwi_add_int(t, va_arg(args, int));
		} else if (*f == 'u') {
			cwi_add_int(t, va_arg(args, unsigned));
		} else if (*f) {
			cwi_add_byte(t, *f); /* %% */
		} else {
			break;
		}
	}
}

static const char *const cwi_type_names[] = {"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"};

/* Refuses the object because v is of another type than wanted. Returns -1. */
static int cwi_wrong(const cw_value *v, const char *want)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_location(&t, v, NULL);
	cwi_add_string(&t, " must be ");
	cwi_add_string(&t, want);
	cwi_add_string(&t, ", but is ");
	cwi_add_string(&t, cwi_type_names[cw_typeof(v)]);
	cwi_fail(v->document, t);
	return -1;
}

int cw_refuse(cw_object *o, const char *format, ...)
{
	cwi_text t = {NULL, 0, 0, 0};
	va_list args;
	va_start(args, format);
	cwi_add_format(&t, format, args);
	va_end(args);
	o->document->error.at = NULL; /* the author's words count more than ours */
	cwi_fail(o->document, t);
	return -1;
}

int cw_refused(const cw_object *o)
{
	return o->document->error.at != NULL;
}

static cw_str cwi_result(cwi_document *d, cwi_text t)
{
	cw_str s = {t.at ? t.at : "", t.len};
	if (t.failed)
		cwi_fail_memory(d);
	return s;
}

cw_str cw_format(cw_object *o, const char *format, ...)
{
	cwi_text t = {NULL, 0, 0, 0};
	va_list args;
	va_start(args, format);
	cwi_add_format(&t, format, args);
	va_end(args);
	cwi_add_byte(&t, '\0');
	t.len -= !t.failed;
	return cwi_result(o->document, t);
}

cw_str cw_quoted(cw_object *o, cw_str text)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_quote(&t, text.at, text.len);
	return cwi_result(o->document, t);
}

cw_str cw_location(cw_value *v, const char *key)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_location(&t, v, key);
	return cwi_result(v ? v->document : cwi_current, t);
}

int cw_is(cw_str text, const char *s)
{
	uint32_t n = cwi_length(s);
	return text.len == n && cwi_equal(text.at, s, n);
}

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

/* Returns the value at key if it has the type; sets *status to 1, 0 if it is absent, -1 if it is wrong. */
static cw_value *cwi_read(cw_value *v, const char *key, cw_type want, const char *words, int *status)
{
	*status = 0;
	cw_type type = cw_typeof(v);
	if (type <= CW_NULL)
		return NULL;
	if (key) {
		if (type != CW_OBJECT) {
			*status = cwi_wrong(v, "an object");
			return NULL;
		}
		v = cwi_find(v, key);
		type = cw_typeof(v);
		if (type <= CW_NULL)
			return NULL;
	}
	*status = type == want ? 1 : cwi_wrong(v, words);
	return v;
}

cw_value *cw_get(cw_value *v, const char *key)
{
	if (key)
		v = cwi_find(v, key);
	return cw_typeof(v) > CW_NULL ? v : NULL;
}

int cw_string(cw_value *v, const char *key, cw_str *out)
{
	int status;
	v = cwi_read(v, key, CW_STRING, "a string", &status);
	if (status <= 0)
		return status;
	cwi_finish(v);
	return cwi_plain(v->document, v->at, v->end, out);
}

int cw_int(cw_value *v, const char *key, int64_t *out)
{
	int status;
	v = cwi_read(v, key, CW_NUMBER, "an integer", &status);
	if (status <= 0)
		return status;
	cwi_finish(v);
	const char *p = v->at;
	int negative = *p == '-';
	uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)negative, u = 0;
	p += negative;
	int good = p < v->end;
	for (; p < v->end && good; p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		good = digit <= 9 && u <= (limit - digit) / 10;
		u = u * 10 + digit;
	}
	if (good) {
		*out = (int64_t)(negative ? 0 - u : u);
		return 1;
	}
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_location(&t, v, NULL);
	cwi_add_string(&t, " must be an integer of 64 bits, but is ");
	cwi_add(&t, v->at, (uint32_t)(v->end - v->at));
	cwi_fail(v->document, t);
	return -1;
}

int cw_bool(cw_value *v, const char *key, int *out)
{
	int status;
	v = cwi_read(v, key, CW_BOOL, "a boolean", &status);
	if (status > 0)
		*out = *v->at == 't';
	return status;
}

int cw_list(cw_value *v, const char *key, cw_value **out)
{
	int status;
	v = cwi_read(v, key, CW_ARRAY, "an array", &status);
	*out = status > 0 ? v : NULL;
	return status;
}

int cw_map(cw_value *v, const char *key, cw_value **out)
{
	int status;
	v = cwi_read(v, key, CW_OBJECT, "an object", &status);
	*out = status > 0 ? v : NULL;
	return status;
}

/* Returns child c of n, or the next one that is not gone. */
static cw_value *cwi_present(cw_value *n, cw_value *c)
{
	while (c && c->flags & CWI_GONE)
		c = c->next;
	while (!c && !n->end) {
		c = cwi_scan(n);
		if (c)
			return c;
	}
	return c;
}

cw_value *cw_first(cw_value *v)
{
	if (cw_typeof(v) < CW_ARRAY)
		return NULL;
	cwi_enter(v);
	return cwi_present(v, v->first);
}

cw_value *cw_next(cw_value *v)
{
	return v && v->parent ? cwi_present(v->parent, v->next) : NULL;
}

cw_str cw_key(cw_value *v)
{
	cw_str key = {"", 0};
	if (v && v->key_len >= 2) {
		key.at = v->key + 1;
		key.len = v->key_len - 2;
		if (v->flags & CWI_ESCAPED)
			cwi_plain(v->document, v->key, v->key + v->key_len, &key);
	}
	return key;
}

/* ---- output ------------------------------------------------------------------------------------------------------------
 * A value is written by copying its text. Only an object or array whose members were edited is written member by member,
 * and neighbours that nobody touched are copied in one piece. Behind the point that was read last nothing can have been
 * edited: the rest of the text is copied as it is. */

/* Says that v is in the text as it should be in the output, and where it should be. */
static inline int cwi_untouched(const cw_value *v)
{
	return !(v->flags & (CWI_EDITED | CWI_GONE | CWI_LOOSE));
}

static void cwi_render(cwi_text *t, cw_value *root)
{
	cwi_document *d = root->document;
	if (!(root->flags & CWI_EDITED)) {
		cwi_add(t, root->at, (uint32_t)((root->end ? root->end : d->end) - root->at));
		return;
	}
	cw_value *n = root, *c = n->first;
	int empty = 1;
	cwi_add_byte(t, *n->at);
	for (;;) {
		while (c) {
			if (c->flags & CWI_GONE) {
				c = c->next;
				continue;
			}
			if (!empty)
				cwi_add_byte(t, ',');
			empty = 0;
			if (cwi_untouched(c)) {
				const char *from = c->key;
				while (c->end && c->next && cwi_untouched(c->next))
					c = c->next;
				cwi_add(t, from, (uint32_t)((c->end ? c->end : d->end) - from));
				if (!c->end)
					return;
				c = c->next;
				continue;
			}
			if (*n->at == '{') {
				cwi_add(t, c->key, c->key_len);
				cwi_add_byte(t, ':');
			}
			if (c->flags & CWI_EDITED) {
				cwi_add_byte(t, *c->at);
				n = c;
				c = n->first;
				empty = 1;
				continue;
			}
			cwi_add(t, c->at, (uint32_t)((c->end ? c->end : d->end) - c->at));
			if (!c->end)
				return;
			c = c->next;
		}
		if (!n->end) { /* the rest follows */
			const char *pos = d->pos;
			if (empty && (pos = cwi_skip_space(pos, d->end)) < d->end && *pos == ',')
				pos = cwi_skip_space(pos + 1, d->end);
			cwi_add(t, pos, (uint32_t)(d->end - pos));
			return;
		}
		cwi_add_byte(t, *n->at == '{' ? '}' : ']');
		if (n == root)
			return;
		c = n->next;
		n = n->parent;
		empty = 0;
	}
}

int cw_raw(cw_value *v, const char *key, cw_str *out)
{
	if (key)
		v = cwi_find(v, key);
	if (!v)
		return 0;
	cwi_finish(v);
	out->at = v->at;
	out->len = (uint32_t)(v->end - v->at);
	if (v->flags & CWI_EDITED) {
		cwi_text t = {NULL, 0, 0, 0};
		cwi_render(&t, v);
		*out = cwi_result(v->document, t);
	}
	return 1;
}

/* ---- edits -------------------------------------------------------------------------------------------------------------
 * Edits never change the text. New keys and values are put in the arena, values are marked, and so is what encloses them. */

/* Marks v and what encloses it as edited. */
static void cwi_touch(cw_value *v)
{
	for (; v && !(v->flags & CWI_EDITED); v = v->parent) {
		v->flags |= CWI_EDITED;
		if (v->flags & CWI_GONE)
			return;
	}
}

static void cwi_changed(cw_value *v)
{
	if (!(v->flags & CWI_GONE))
		cwi_touch(v->parent);
}

/* Gives v another text. */
static int cwi_replace(cw_value *v, cw_str text)
{
	cwi_finish(v);
	for (cw_value *c = v->first; c; c = c->next)
		c->flags |= CWI_GONE; /* edits of them must not reach what v will be */
	v->at = text.at;
	v->end = text.at + text.len;
	v->first = v->last = v->found = NULL;
	v->flags = (v->flags & ~(uint32_t)(CWI_ENTERED | CWI_EDITED)) | CWI_LOOSE;
	cwi_changed(v);
	return 0;
}

static int cwi_set_key(cw_value *v, cw_str key)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_quote(&t, key.at, key.len);
	if (t.failed) {
		cwi_fail_memory(v->document);
		return -1;
	}
	v->key = t.at;
	v->key_len = t.len;
	v->flags = (v->flags & ~(uint32_t)CWI_ESCAPED) | CWI_LOOSE | (t.len == key.len + 2 ? 0 : CWI_ESCAPED);
	return 0;
}

/* Adds a member to the object n, or an element to the array (key at NULL), all of whose members are listed. */
static cw_value *cwi_insert(cw_value *n, cw_str key, cw_str text)
{
	cw_value *c = cwi_new(n->document, n, text.at, text.at + text.len);
	if (!c) {
		cwi_fail_memory(n->document);
		return NULL;
	}
	if (key.at) {
		c->flags = CWI_LOOSE;
		if (cwi_set_key(c, key) < 0) {
			c->flags |= CWI_GONE;
			return NULL;
		}
	}
	c->flags |= CWI_LOOSE;
	cwi_touch(n);
	return c;
}

static const cw_str cwi_empty_object = {"{}", 2};

/* Refuses the object because key cannot be set in v. Returns -1. */
static int cwi_unsettable(cw_value *v, const char *key, const char *why)
{
	cwi_document *d = v ? v->document : cwi_current;
	cwi_text t = {NULL, 0, 0, 0};
	if (!v && !key) {
		cwi_add_string(&t, "a value that is absent cannot be set");
	} else {
		cwi_add_location(&t, v, key);
		cwi_add_string(&t, " cannot be set");
		cwi_add_string(&t, v || why ? ": " : " in a value that is absent");
		if (why) {
			cwi_add_string(&t, why);
		} else if (v) {
			cwi_add_location(&t, v, NULL);
			cwi_add_string(&t, " is ");
			cwi_add_string(&t, cwi_type_names[cw_typeof(v)]);
			cwi_add_string(&t, ", not an object");
		}
	}
	cwi_fail(d, t);
	return -1;
}

/* Makes text, which lives as long as the object, the value at key of v. */
static int cwi_put(cw_value *v, const char *key, cw_str text)
{
	if (!v)
		return cwi_unsettable(v, key, NULL);
	if (!key)
		return cwi_replace(v, text);
	if (cw_typeof(v) == CW_NULL)
		cwi_replace(v, cwi_empty_object);
	else if (cw_typeof(v) != CW_OBJECT)
		return cwi_unsettable(v, key, NULL);
	cw_str name = {key, cwi_length(key)};
	cw_value *c = cwi_find_text(v, name);
	if (c)
		return cwi_replace(c, text);
	return cwi_insert(v, name, text) ? 0 : -1;
}

static int cwi_put_text(cw_value *v, const char *key, cwi_text t)
{
	cw_str text = {t.at, t.len};
	if (t.failed) {
		cwi_fail_memory(v ? v->document : cwi_current);
		return -1;
	}
	return cwi_put(v, key, text);
}

int cw_set_str(cw_value *v, const char *key, cw_str s)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_quote(&t, s.at, s.len);
	return cwi_put_text(v, key, t);
}

int cw_set_string(cw_value *v, const char *key, const char *s)
{
	cw_str text = {s, cwi_length(s)};
	return cw_set_str(v, key, text);
}

int cw_set_int(cw_value *v, const char *key, int64_t i)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_int(&t, i);
	return cwi_put_text(v, key, t);
}

int cw_set_bool(cw_value *v, const char *key, int b)
{
	cw_str text = {b ? "true" : "false", b ? 4u : 5u};
	return cwi_put(v, key, text);
}

static const char *cwi_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

static const char *cwi_digits(const char *p, const char *end)
{
	const char *start = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p > start ? p : NULL;
}

/* Returns the end of the string, number, true, false or null at p, checked strictly, or NULL. */
static const char *cwi_valid_scalar(const char *p, const char *end)
{
	if (p < end && *p == '"') {
		for (p++; p < end && *p != '"'; p++) {
			if ((uint8_t)*p < ' ')
				return NULL;
			if (*p != '\\')
				continue;
			if (++p >= end)
				return NULL;
			if (*p == 'u') {
				for (int i = 1; i <= 4; i++) {
					char lower = (char)(p + i < end ? p[i] | 0x20 : 0);
					if (!(lower >= 'a' && lower <= 'f') && !(p + i < end && p[i] >= '0' && p[i] <= '9'))
						return NULL;
				}
				p += 4;
			} else if (*p != '"' && *p != '\\' && *p != '/' && *p != 'b' && *p != 'f' && *p != 'n' && *p != 'r' && *p != 't') {
				return NULL;
			}
		}
		return p < end ? p + 1 : NULL;
	}
	static const char *const words[] = {"true", "false", "null"};
	for (int i = 0; i < 3; i++) {
		uint32_t n = cwi_length(words[i]);
		if ((size_t)(end - p) >= n && cwi_equal(p, words[i], n))
			return p + n;
	}
	if (p < end && *p == '-')
		p++;
	if (p < end && *p == '0')
		p++;
	else if (!(p = cwi_digits(p, end)))
		return NULL;
	if (p < end && *p == '.' && !(p = cwi_digits(p + 1, end)))
		return NULL;
	if (p < end && (*p | 0x20) == 'e') {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = cwi_digits(p, end);
	}
	return p;
}

/* Returns 1 if the text is one JSON value, nested no deeper than the gateway allows. The text comes
 * from the author's code; the gateway has already checked the objects. */
static int cwi_valid(const char *p, const char *end)
{
	uint8_t objects[1000 / 8 + 1]; /* a bit for each level: it is an object */
	int depth = 0, object = 0, value_next = 1;
	p = cwi_blank(p, end);
	for (;;) {
		if (value_next && p < end && (*p == '{' || *p == '[')) {
			if (depth == 1000)
				return 0;
			object = *p == '{';
			objects[depth / 8] = (uint8_t)((objects[depth / 8] & ~(1 << depth % 8)) | object << depth % 8);
			depth++;
			p = cwi_blank(p + 1, end);
			value_next = !(p < end && *p == (object ? '}' : ']'));
		} else if (value_next) {
			if (!(p = cwi_valid_scalar(p, end)))
				return 0;
			p = cwi_blank(p, end);
			value_next = 0;
		} else if (depth == 0) {
			return p == end;
		} else if (p < end && *p == ',') {
			p = cwi_blank(p + 1, end);
			value_next = 1;
		} else if (p < end && *p == (object ? '}' : ']')) {
			depth--;
			object = depth > 0 && objects[(depth - 1) / 8] >> (depth - 1) % 8 & 1;
			p = cwi_blank(p + 1, end);
			continue;
		} else {
			return 0;
		}
		if (value_next && depth > 0 && object) { /* a key comes first */
			if (p >= end || *p != '"' || !(p = cwi_valid_scalar(p, end)))
				return 0;
			p = cwi_blank(p, end);
			if (p >= end || *p != ':')
				return 0;
			p = cwi_blank(p + 1, end);
		}
	}
}

/* Checks JSON and copies it to where it lives as long as the object; at NULL if it cannot be. */
static cw_str cwi_keep(cw_value *v, const char *key, cw_str json)
{
	cw_str kept = {NULL, 0};
	while (json.len > 0 && cwi_blank(json.at, json.at + 1) != json.at)
		json.at++, json.len--;
	while (json.len > 0 && cwi_blank(json.at + json.len - 1, json.at + json.len) == json.at + json.len)
		json.len--;
	if (!cwi_valid(json.at, json.at + json.len)) {
		cwi_unsettable(v, key, "the new value is not valid JSON");
		return kept;
	}
	char *at = (char *)cwi_alloc((uint64_t)json.len + CWI_PAD);
	if (!at) {
		cwi_fail_memory(v ? v->document : cwi_current);
		return kept;
	}
	cwi_copy(at, json.at, json.len);
	kept.at = at;
	kept.len = json.len;
	return kept;
}

int cw_set_raw(cw_value *v, const char *key, cw_str json)
{
	cw_str kept = cwi_keep(v, key, json);
	return kept.at ? cwi_put(v, key, kept) : -1;
}

/* Makes text the last element of the array at key of v. */
static int cwi_append(cw_value *v, const char *key, cw_str text)
{
	cw_value *list = key ? cwi_find(v, key) : v;
	switch (cw_typeof(list)) {
	case CW_ARRAY:
		break;
	case CW_ABSENT: case CW_NULL: {
		if (key && cw_typeof(v) > CW_NULL && cw_typeof(v) != CW_OBJECT)
			return cwi_wrong(v, "an object");
		static const cw_str none = {"[]", 2};
		if (cwi_put(v, key, none) < 0)
			return -1;
		list = key ? cwi_find(v, key) : v;
		if (!list)
			return -1; /* the text is not JSON */
		break;
	}
	default:
		return cwi_wrong(list, "an array");
	}
	cwi_enter(list);
	cwi_finish(list);
	static const cw_str no_key = {NULL, 0};
	return cwi_insert(list, no_key, text) ? 0 : -1;
}

int cw_append_str(cw_value *v, const char *key, cw_str s)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_quote(&t, s.at, s.len);
	cw_str text = {t.at, t.len};
	if (t.failed) {
		cwi_fail_memory(v ? v->document : cwi_current);
		return -1;
	}
	return cwi_append(v, key, text);
}

int cw_append_raw(cw_value *v, const char *key, cw_str json)
{
	cw_str kept = cwi_keep(v, key, json);
	return kept.at ? cwi_append(v, key, kept) : -1;
}

cw_value *cw_make(cw_value *v, const char *key)
{
	cw_value *c = key ? cwi_find(v, key) : v;
	cw_type type = cw_typeof(c);
	if (type == CW_OBJECT)
		return c;
	if (type > CW_NULL) {
		cwi_wrong(c, "an object");
		return NULL;
	}
	if (cwi_put(v, key, cwi_empty_object) < 0)
		return NULL;
	return key ? cwi_find(v, key) : v;
}

/* Returns the member at key, null or not; *status is 1, 0 if there is none, -1 if v is no object. */
static cw_value *cwi_target(cw_value *v, const char *key, int *status)
{
	cw_type type = cw_typeof(v);
	*status = 0;
	if (type == CW_ABSENT || (key && type == CW_NULL))
		return NULL;
	if (key && type != CW_OBJECT) {
		*status = cwi_wrong(v, "an object");
		return NULL;
	}
	if (key)
		v = cwi_find(v, key);
	*status = v != NULL;
	return v;
}

/* Refuses the object because of what cannot be done to v. Returns -1. */
static int cwi_cannot(const cw_value *v, const char *what, const cw_value *taken)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_location(&t, v, NULL);
	cwi_add_string(&t, what);
	if (taken) {
		cwi_add_location(&t, taken, NULL);
		cwi_add_string(&t, " is there already");
	}
	cwi_fail(v->document, t);
	return -1;
}

static void cwi_detach(cw_value *v)
{
	cwi_finish(v);
	cwi_changed(v);
	v->flags |= CWI_GONE;
}

int cw_remove(cw_value *v, const char *key)
{
	int status;
	v = cwi_target(v, key, &status);
	if (status <= 0)
		return status;
	if (!v->parent)
		return cwi_cannot(v, " as a whole cannot be deleted", NULL);
	cwi_detach(v);
	return 1;
}

int cw_rename(cw_value *v, const char *key, const char *new_key)
{
	int status;
	v = cwi_target(v, key, &status);
	if (status <= 0)
		return status;
	if (!v->parent || *v->parent->at != '{')
		return cwi_cannot(v, " cannot be renamed: it is not a member of an object", NULL);
	cw_value *taken = cwi_find(v->parent, new_key);
	if (taken == v)
		return 1;
	if (taken)
		return cwi_cannot(v, " cannot be renamed: ", taken);
	cw_str text = {new_key, cwi_length(new_key)};
	if (cwi_set_key(v, text) < 0)
		return -1;
	cwi_changed(v);
	return 1;
}

int cw_move(cw_value *v, const char *key, cw_value *to, const char *new_key)
{
	int status;
	cw_value *c = cwi_target(v, key, &status);
	if (status <= 0)
		return status;
	if (!c->parent || !to || cw_typeof(to) != CW_OBJECT || to->document != c->document)
		return cwi_cannot(c, " cannot be moved there", NULL);
	for (cw_value *a = to; a; a = a->parent)
		if (a == c)
			return cwi_cannot(c, " cannot be moved into itself", NULL);
	cw_value *taken = cwi_find(to, new_key);
	if (taken == c)
		return 1;
	if (taken && *taken->at != 'n')
		return cwi_cannot(c, " cannot be moved: ", taken);
	cwi_detach(c);
	if (taken)
		cwi_detach(taken);
	cwi_finish(to); /* a member can be added only where all are listed */
	cw_str text = {c->at, (uint32_t)(c->end - c->at)};
	cw_str moved_key = {new_key, cwi_length(new_key)};
	cw_value *m = cwi_insert(to, moved_key, text);
	if (!m)
		return -1;
	m->first = c->first;
	m->last = c->last;
	m->flags |= c->flags & (CWI_ENTERED | CWI_EDITED);
	for (cw_value *g = m->first; g; g = g->next)
		g->parent = m;
	return 1;
}

/* ---- metadata ---------------------------------------------------------------------------------------------------------- */

static int cwi_remove_from(cw_object *o, const char *map, const char *name)
{
	cw_value *metadata = cw_get(o, "metadata"), *values = cw_get(metadata, map);
	int deleted = cw_remove(values, name);
	if (deleted > 0 && !cw_first(values))
		cw_remove(metadata, map);
	return deleted;
}

int cw_label(cw_object *o, const char *name, cw_str *out)
{
	return cw_string(cw_get(cw_get(o, "metadata"), "labels"), name, out);
}

int cw_set_label(cw_object *o, const char *name, cw_str value)
{
	cw_value *labels = cw_make(cw_make(o, "metadata"), "labels");
	return labels ? cw_set_str(labels, name, value) : -1;
}

int cw_remove_label(cw_object *o, const char *name)
{
	return cwi_remove_from(o, "labels", name);
}

int cw_annotation(cw_object *o, const char *name, cw_str *out)
{
	return cw_string(cw_get(cw_get(o, "metadata"), "annotations"), name, out);
}

int cw_set_annotation(cw_object *o, const char *name, cw_str value)
{
	cw_value *annotations = cw_make(cw_make(o, "metadata"), "annotations");
	return annotations ? cw_set_str(annotations, name, value) : -1;
}

int cw_remove_annotation(cw_object *o, const char *name)
{
	return cwi_remove_from(o, "annotations", name);
}

/* ---- batches ----------------------------------------------------------------------------------------------------------- */

static cw_value *cwi_open_document(cwi_document *d, const char *text, const char *end)
{
	d->text = text;
	d->end = end;
	d->pos = cwi_skip_space(text, end);
	d->open = NULL;
	d->error.at = NULL;
	d->conversion = NULL;
	d->keeper = NULL;
	d->at_end = NULL;
	d->root = cwi_new(d, NULL, d->pos, NULL);
	return d->root;
}

/* Opens a copy of JSON as a document of its own, unchecked. NULL if there is no memory, which o remembers. */
static cw_value *cwi_open_copy(cw_object *o, cw_str json)
{
	cwi_document *d = (cwi_document *)cwi_alloc(sizeof *d);
	char *text = (char *)cwi_alloc((uint64_t)json.len + CWI_PAD);
	if (text)
		cwi_copy(text, json.at, json.len);
	if (!d || !text || !cwi_open_document(d, text, text + json.len)) {
		if (o)
			cwi_fail_memory(o->document);
		return NULL;
	}
	return d->root;
}

/* The same, but NULL if it is not JSON. */
static cw_value *cwi_open_json(cw_object *o, cw_str json)
{
	return cwi_valid(json.at, json.at + json.len) ? cwi_open_copy(o, json) : NULL;
}

cw_value *cw_parse(cw_object *o, cw_str json)
{
	cw_value *root = cwi_open_json(o, json);
	if (!root && o) {
		cwi_text t = {NULL, 0, 0, 0};
		cwi_add_string(&t, "the text is not valid JSON");
		cwi_fail(o->document, t);
	}
	return root;
}

static int cwi_unknown(cw_object *o, cw_str from, const char *to, uint32_t to_len)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_string(&t, "this module has no conversion from ");
	cwi_add(&t, from.at, from.len);
	cwi_add_string(&t, " to ");
	cwi_add(&t, to, to_len);
	cwi_add_string(&t, "; it has: ");
	for (uint32_t i = 0; i < cwi_module_count; i++) {
		cwi_add_string(&t, i ? ", " : "");
		cwi_add_string(&t, cwi_module_conversions[i].from);
		cwi_add_string(&t, " to ");
		cwi_add_string(&t, cwi_module_conversions[i].to);
	}
	cwi_fail(o->document, t);
	return -1;
}

/* Converts o to the version; 0, 1 if there is nothing to do, or -1 if it is refused. */
static int cwi_convert(cw_object *o, const char *to, uint32_t to_len)
{
	cwi_document *d = o->document;
	cw_str from;
	if (cw_typeof(o) != CW_OBJECT)
		return cwi_wrong(o, "an object");
	int found = cw_string(o, "apiVersion", &from);
	if (found == 0 && !d->error.at) {
		if (cwi_find(o, "apiVersion"))
			return cwi_wrong(cwi_find(o, "apiVersion"), "a string");
		return cw_refuse(o, ".apiVersion must say which version the object is in, but is absent");
	}
	if (found <= 0)
		return -1;
	if (from.len == to_len && cwi_equal(from.at, to, to_len))
		return 1;
	for (uint32_t i = 0; i < cwi_module_count; i++) {
		const cw_conversion *c = &cwi_module_conversions[i];
		if (!cw_is(from, c->from) || cwi_length(c->to) != to_len || !cwi_equal(c->to, to, to_len))
			continue;
		d->conversion = c;
		d->at_end = cwi_module_at_end;
		if (c->convert(o) < 0) {
			if (!d->error.at)
				cw_refuse(o, "the converter gave no reason");
			return -1;
		}
		if (d->at_end)
			d->at_end(o);
		cw_set_string(o, "apiVersion", c->to);
		return d->error.at ? -1 : 0;
	}
	return cwi_unknown(o, from, to, to_len);
}

static inline uint32_t cwi_u32(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void cwi_put_u32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i);
}

enum { CWI_CONVERTED, CWI_REFUSED, CWI_CRASHED }; /* the statuses of an answer */

/* Converts one object, adds its answer to the response and returns its status. The response has failed afterwards if there is no memory to
 * say even that. */
static uint32_t cwi_answer_one(cwi_text *response, const char *text, uint32_t len, const char *to, uint32_t to_len)
{
	cwi_document d;
	uint32_t head = response->len;
	int refused = -1;
	cwi_add(response, "\0\0\0\0\0\0\0\0", 8);
	cwi_current = &d;
	cw_object *o = cwi_open_document(&d, text, text + len);
	if (!o)
		d.error = cwi_no_memory;
	else if ((refused = cwi_convert(o, to, to_len)) == 1)
		cwi_add(response, text, len);
	else if (refused == 0)
		cwi_render(response, o);
	if (response->failed && response->len >= head + 8) { /* not even partly written answers count */
		refused = -1;
		d.error = cwi_no_memory;
		response->failed = 0;
		response->len = head + 8;
	}
	if (refused < 0)
		cwi_add(response, d.error.at, d.error.len);
	if (response->failed)
		return CWI_CRASHED;
	uint32_t status = refused >= 0 ? CWI_CONVERTED : d.error.at == cwi_no_memory.at ? CWI_CRASHED : CWI_REFUSED;
	cwi_put_u32(response->at + head, status);
	cwi_put_u32(response->at + head + 4, response->len - head - 8);
	return status;
}

/* Ends the call where there is no memory to say so: a module traps, which the gateway takes for a lack of memory. */
static cw_str cwi_exhausted(void)
{
#ifdef __wasm__
	__builtin_trap();
#endif
	const cw_str none = {NULL, 0};
	return none;
}

char *cw_request(uint32_t size)
{
	static cwi_arena start; /* the arena before anything was got */
	cwi_reset(start);
#if defined(__wasm__) && !defined(__wasi__)
	if (!cwi_memory.at && !cwi_more(0))
		return NULL;
	start.at = cwi_memory.at;
#endif
	return (char *)cwi_alloc((uint64_t)size + CWI_PAD);
}

cw_str cw_answer(const char *request, uint32_t size)
{
	const cw_str none = {NULL, 0};
	const char *p = request, *end = request + size;
	if (size < 8)
		return none;
	uint32_t count = cwi_u32(p), to_len = cwi_u32(p + 4);
	const char *to = p += 8;
	if (to_len > (uint32_t)(end - p))
		return none;
	p += to_len;
	/* Most conversions change the size little: this is room enough for all but a few. If there is no memory for it, there may
	 * be for saying so. */
	cwi_text response = {NULL, 0, 0, 0};
	if (!cwi_room(&response, size / 4 * 3 + 64)) {
		response.failed = 0;
		if (!cwi_room(&response, 1024))
			return cwi_exhausted();
	}
	cwi_arena mark = cwi_memory;
	for (uint32_t i = 0; i < count; i++) {
		if (end - p < 4 || cwi_u32(p) > (uint32_t)(end - p - 4))
			return none;
		uint32_t len = cwi_u32(p);
		char *before = response.at;
		uint32_t status = cwi_answer_one(&response, p + 4, len, to, to_len);
		if (response.failed)
			return cwi_exhausted();
		p += 4 + len;
		if (status == CWI_CRASHED) { /* the gateway reads nothing behind it */
			p = end;
			break;
		}
		if (response.at == before)
			cwi_reset(mark);
		else
			mark = cwi_memory; /* the response moved behind what this object needed */
	}
	cw_str out = {response.at, response.len};
	return p == end ? out : none;
}

/* The version in "group/version". */
static const char *cwi_bare_version(const char *s)
{
	const char *version = s;
	for (; *s; s++)
		if (*s == '/')
			version = s + 1;
	return version;
}

static int cwi_same(const char *a, const char *b)
{
	cw_str text = {a, cwi_length(a)};
	return cw_is(text, b);
}

int cw_shown(const cw_object *o, const char *path)
{
	const cw_conversion *c = o->document->conversion;
	if (!cwi_module_field_count || !c)
		return 1;
	for (uint32_t i = 0; i < cwi_module_field_count; i++) {
		const cw_field *f = &cwi_module_fields[i];
		if (f->path && cwi_same(f->path, path) && (cwi_same(f->version, c->from) || cwi_same(f->version, c->to)))
			return 1;
	}
	return 0;
}

cw_str cw_describe(void)
{
	cw_str plain = {cwi_module_description, cwi_length(cwi_module_description)};
	if (!cwi_module_field_count)
		return plain;
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add(&t, plain.at, plain.len - 1);
	cwi_add_string(&t, ",\"fields\":{");
	for (uint32_t i = 0, versions = 0; i < cwi_module_field_count; i++) {
		const char *version = cwi_bare_version(cwi_module_fields[i].version);
		uint32_t j = 0, paths = 0;
		while (!cwi_same(cwi_bare_version(cwi_module_fields[j].version), version))
			j++;
		if (j < i)
			continue; /* it was listed there */
		if (versions++)
			cwi_add_byte(&t, ',');
		cwi_quote(&t, version, cwi_length(version));
		cwi_add_string(&t, ":[");
		for (; j < cwi_module_field_count; j++) {
			const char *path = cwi_module_fields[j].path;
			if (!path || !cwi_same(cwi_bare_version(cwi_module_fields[j].version), version))
				continue;
			if (paths++)
				cwi_add_byte(&t, ',');
			cwi_quote(&t, path, cwi_length(path));
		}
		cwi_add_byte(&t, ']');
	}
	cwi_add_string(&t, "}}");
	cw_str out = {t.at, t.failed ? 0 : t.len}; /* nothing is no description, and not loaded: half of one would say less */
	return out;
}

#ifdef __wasm__
__attribute__((export_name("crosswalk_abi_v1"))) void crosswalk_abi_v1(void) {}

__attribute__((export_name("crosswalk_alloc"))) char *crosswalk_alloc(uint32_t size)
{
	return cw_request(size);
}

__attribute__((export_name("crosswalk_convert"))) uint64_t crosswalk_convert(const char *request, uint32_t size)
{
	cw_str response = cw_answer(request, size);
	return (uint64_t)(uintptr_t)response.at << 32 | response.len;
}

__attribute__((export_name("crosswalk_describe"))) uint64_t crosswalk_describe(void)
{
	cw_str description = cw_describe();
	return (uint64_t)(uintptr_t)description.at << 32 | description.len;
}

__attribute__((import_module("crosswalk_v1"), import_name("log"))) void cwi_host_log(uint32_t level, const char *text, uint32_t len);

void cw_log(int level, cw_str text)
{
	cwi_host_log((uint32_t)level, text.at, text.len);
}
#else
#include <stdio.h>

void cw_log(int level, cw_str text)
{
	fprintf(stderr, "%d %.*s\n", level, CW_ARG(text));
}
#endif

#ifdef __cplusplus
}
#endif
#endif /* CROSSWALK_IMPLEMENTATION */
