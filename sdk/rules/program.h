/* program.h - the rules of a module, as `crosswalk compile` packs them behind the interpreter's own data.
 *
 * A program is a block of 32-bit little-endian words and of text. Every reference is an offset from its start; 0 means none. The
 * packer wrote it and checked it, so the interpreter does not check offsets: a damaged program can only harm its own sandbox.
 *
 *	text     length, bytes, NUL
 *	path     number of keys, a text for each; no keys: the value itself
 *	list     number of items, the items
 *	block    number of operations, 1 if one has a condition, the operations
 */
#ifndef RULES_PROGRAM_H
#define RULES_PROGRAM_H

#include "../c/crosswalk.h"

typedef uint32_t ref; /* an offset in the program; 0 = none */

enum { RULES_MAGIC = 0x31525743, MAX_CONVERSIONS = 64, MAX_FIELDS = 1024, MAX_OPERATIONS = 256 };

/* The head of a program. */
typedef struct {
	uint32_t magic, size;
	ref description;               /* text */
	uint32_t conversion_count;
	ref conversions;               /* conversion_count × {from, to, block} */
	uint32_t field_count;
	ref fields;                    /* field_count × {version, path or 0} */
} head;

enum code {
	OP_RESTORE = 1, /* what the stash holds for the version that is converted to; a: members without which nothing within comes back, or 0 */
	OP_STASH,       /* path; a: list of pointers, 0 = the stash's default; b: path of a field: a copy of it goes, or 0 */
	OP_REMOVE,      /* path */
	OP_RENAME,      /* path; a: the new key */
	OP_MOVE,        /* path; a: path to move to; b: keys of path to keep */
	OP_SPLIT,       /* path; a: parts; b: separator; c: enum split; d: keys to keep; e, f, g: texts; h: pointers; i: annotation */
	OP_JOIN,        /* the same, path being the one to join to; j: enum partial */
	OP_LIST_FROM_MAP, /* path; a: name; b: value or 0; c: 1 if the value may be absent */
	OP_MAP_FROM_LIST,
	OP_SPLIT_LIST,  /* path; a: separator */
	OP_JOIN_LIST,
	OP_TRANSLATE,   /* path; a: table; b: 1 = back; c: text if other values are refused; d: pointers for values of the other column;
	                 * e: pointers for values that share their partner with an earlier pair */
	OP_CONVERT,     /* path; a, b: enum type; c, d: their units; e: pointers; f: text; g: enum inexact; h: 1 = both are units of durations;
	                 * i: {number, {group, version}…} for apiGroup */
	OP_WRAP,        /* path of a value, which becomes a list of it; a: type or 0; b: annotation; c: key in it */
	OP_UNWRAP,      /* the same back; d: pointers for a list of no or several values */
	OP_NEST,        /* path of a value, which becomes an object; a: the key of the value in it; b: type or 0 */
	OP_UNNEST,      /* the same back; c: text for an object without the key; d: pointers for one with other members, or without the key */
	OP_DEFAULT,     /* path; a: JSON; b: path of the field that has the value instead, or 0. Not in fragments */
	OP_CONSTANT,    /* path; a: JSON. Not in fragments */
	OP_NO_CONSTANT, /* path; a: JSON; b: pointers: another value is stashed for them; c: keys: if its object has no others, it is stashed, too */
	OP_EACH,        /* path of a list or a map; a: block for each element; b: 1 = a map */
	OP_WITHIN,      /* path of an object; a: block for it */
	OP_NOTE_EMPTY,  /* path of an object; a: pointers: if it is empty, the stash remembers that for them; b: only if one of these paths has a value */
	OP_CLEAN,       /* path of an object, which is removed if it is empty */
	OP_SPLIT_OBJECT, /* path; a: parts, whose paths begin at the object; b: separator; c: enum split; d: keys to keep; e, f: texts; g: path of the
	                  * object; h: pointers; i: the text of an absent part; j: 1 = both paths are the same */
	OP_JOIN_OBJECT,  /* the same, path being the one to join to, and d the keys of g to keep */
	OP_NOTE_ORDER,   /* path of a list; a: the key of its elements; b: pointers: the stash keeps a list whose keys are not sorted for them */
	OP_RENAME_KEYS,  /* path of a map; a: {number, {text, text}…}; b: 1 = back; c: 1 = the texts begin keys; d: pointers for a map whose keys
	                  * would come back renamed */
	OP_SKIP,         /* path of a list; a: a condition: elements that fulfil it go; b: pointers: the stash keeps the whole list for them;
	                  * c: block for each other element, or 0; d: 1 = elements stay, and the stash keeps a list with one that would go on the
	                  * way back */
	OP_ATTEMPT,      /* a: block; b: pointers: the values at the paths c go to the stash for them if the block refuses the object; d: keys of
	                  * the first path to keep */
};

typedef struct {
	uint32_t code;
	ref condition;
	ref path;
	uint32_t a, b, c, d, e, f, g, h, i, j;
} operation;

typedef struct {
	uint32_t count, conditional;
	operation operations[];
} block;

enum split { SPLIT_EVERY, SPLIT_FIRST, SPLIT_LAST, SPLIT_WORDS, SPLIT_HOST_PORT };
enum partial { PARTIAL_STASH, PARTIAL_LEAVE, PARTIAL_REFUSE, PARTIAL_ANNOTATION };
enum inexact { INEXACT_STASH, INEXACT_REFUSE, INEXACT_ROUND };

/* Placed by the packer: where the program is, and where the heap begins behind it. */
extern volatile uint32_t crosswalk_rules[2];

static const char *program;

static const void *at(ref r)
{
	return program + r;
}

static uint32_t word(ref r, uint32_t index)
{
	return ((const uint32_t *)at(r))[index];
}

/* Returns a text's bytes, followed by a NUL. */
static const char *chars(ref text)
{
	return (const char *)at(text) + 4;
}

static cw_str str(ref text)
{
	cw_str s = {chars(text), word(text, 0)};
	return s;
}

static uint32_t keys(ref path)
{
	return word(path, 0);
}

static const char *key(ref path, uint32_t index)
{
	return chars(word(path, 1 + index));
}

/* Returns the value below v that the first n keys of a path lead to; NULL if it is absent or null. */
static cw_value *walk(cw_value *v, ref path, uint32_t n)
{
	for (uint32_t i = 0; i < n && v; i++)
		v = cw_get(v, key(path, i));
	return v;
}

/* Returns the object that holds the value at a path, for a value to set: absent objects on the way are made. NULL if one is
 * something else; the object is refused then. */
static cw_value *make(cw_value *v, ref path)
{
	uint32_t n = keys(path) - 1;
	for (uint32_t i = 0; i < n && v; i++) {
		cw_value *c = cw_get(v, key(path, i));
		if (c && cw_typeof(c) != CW_OBJECT) {
			cw_str here = cw_location(c, NULL), there = cw_location(c, key(path, i + 1));
			cwi_text t = {NULL, 0, 0, 0};
			cwi_add(&t, there.at, there.len);
			cwi_add_string(&t, " cannot be set: ");
			cwi_add(&t, here.at, here.len);
			cwi_add_string(&t, " is ");
			cwi_add_string(&t, cwi_type_names[cw_typeof(c)]);
			cwi_add_string(&t, ", not an object");
			cwi_fail(v->document, t);
			return NULL;
		}
		v = c ? c : cw_make(v, key(path, i));
	}
	return v;
}

/* Finds the object or list that holds the value at a path, and the value's key in it: NULL if the path is the value itself. */
static cw_value *holder(cw_value *v, ref path, const char **last)
{
	uint32_t n = keys(path);
	*last = n ? key(path, n - 1) : NULL;
	return n ? walk(v, path, n - 1) : v;
}

/* Deletes the objects on a path that are empty now that a value was taken out of them, from the innermost; the objects that the
 * first `keep` keys lead to stay. */
static void clean(cw_value *v, ref path, uint32_t keep)
{
	for (uint32_t n = keys(path) - 1; n > keep; n--) {
		cw_value *o = walk(v, path, n);
		if (!o)
			continue;
		if (cw_typeof(o) != CW_OBJECT || cw_first(o))
			return;
		cw_remove(o, NULL);
	}
}

#endif
