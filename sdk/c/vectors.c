/* Tests a converter natively: runs vectors, a JSON list of {"name", "desiredAPIVersion", "objects", "want" | "wantError"}, on it.
 *
 *	cc -fsanitize=address,undefined -I. -o test vectors.c disk.c && ./test build/vectors.json
 *
 * want is compared as JSON: white space and the order of members do not matter, but numbers must be written alike; wantError is the
 * exact text of the first refusal. Of a module that declares its fields, it also finds what it reads or writes without
 * declaring it. -I must find crosswalk.h; a converter in C++ is linked with it as well. */
#include "crosswalk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text of its own: what the SDK returns lasts until the next cw_request only. */
typedef struct {
	char *at;
	uint32_t len;
	int refused; /* it says why an object was */
} text;

static void add(text *t, const char *from, uint32_t len)
{
	t->at = (char *)realloc(t->at, (size_t)t->len + len + 1);
	if (!t->at)
		exit(2);
	memcpy(t->at + t->len, from, len);
	t->len += len;
	t->at[t->len] = '\0';
}

static text copy(cw_str s)
{
	text t = {NULL, 0, 0};
	add(&t, s.at, s.len);
	return t;
}

static cw_str view(text t)
{
	cw_str s = {t.at, t.len};
	return s;
}

static text raw(cw_value *v)
{
	cw_str s = {"", 0};
	cw_raw(v, NULL, &s);
	return copy(s);
}

/* The string at key of v; "" if it is none. */
static text string(cw_value *v, const char *key)
{
	cw_str s = {"", 0};
	if (cw_typeof(cw_get(v, key)) == CW_STRING)
		cw_string(v, key, &s);
	return copy(s);
}

static uint32_t count(cw_value *list)
{
	uint32_t n = 0;
	for (cw_value *e = cw_first(list); e; e = cw_next(e))
		n++;
	return n;
}

static cw_value *member(cw_value *object, cw_str key)
{
	for (cw_value *m = cw_first(object); m; m = cw_next(m)) {
		cw_str k = cw_key(m);
		if (k.len == key.len && memcmp(k.at, key.at, key.len) == 0)
			return m;
	}
	return NULL;
}

/* The key of a stash. Hashes in one are those of what the converter saw, which are not the same of a part and of the whole. */
static int is_stash(cw_value *v)
{
	static const char begins[] = "conversion.", ends[] = "/stash";
	cw_str key = cw_key(v);
	return key.len > 16 && memcmp(key.at, begins, 11) == 0 && memcmp(key.at + key.len - 6, ends, 6) == 0;
}

/* Says that there is nothing in a value: null, or an object in which there is nothing but a stash. */
static int empty(cw_value *v)
{
	if (cw_typeof(v) != CW_OBJECT)
		return cw_typeof(v) <= CW_NULL;
	for (cw_value *m = cw_first(v); m; m = cw_next(m))
		if (!is_stash(m) && !empty(m))
			return 0;
	return 1;
}

/* Compares two values; loosely: what is empty may be left out. */
static int equal(cw_value *a, cw_value *b, int loosely)
{
	if (loosely && (empty(a) || empty(b)))
		return empty(a) && empty(b);
	if (cw_typeof(a) != cw_typeof(b))
		return 0;
	cw_str x = {"", 0}, y = {"", 0};
	switch (cw_typeof(a)) {
	case CW_OBJECT:
		for (cw_value *m = cw_first(a); m; m = cw_next(m)) {
			cw_value *other = member(b, cw_key(m));
			if (!(loosely && (is_stash(m) || empty(m))) && !(other && equal(m, other, loosely)))
				return 0;
		}
		for (cw_value *m = cw_first(b); m; m = cw_next(m))
			if (!(loosely && (is_stash(m) || empty(m))) && !member(a, cw_key(m)))
				return 0;
		return 1;
	case CW_ARRAY: {
		cw_value *e = cw_first(a), *f = cw_first(b);
		for (; e && f; e = cw_next(e), f = cw_next(f))
			if (!equal(e, f, loosely))
				return 0;
		return !e && !f;
	}
	case CW_STRING:
		cw_string(a, NULL, &x);
		cw_string(b, NULL, &y);
		break;
	default:
		cw_raw(a, NULL, &x);
		cw_raw(b, NULL, &y);
	}
	return x.len == y.len && memcmp(x.at, y.at, x.len) == 0;
}

/* Parses text that the SDK need not keep; what was parsed before is gone, unless more is 1. */
static cw_value *parse(text t, int more)
{
	if (!more)
		cw_request(0);
	return cw_parse(NULL, view(t));
}

/* Converts one object. */
static text convert(text object, text desired)
{
	uint32_t head[2] = {1, desired.len};
	text frame = {NULL, 0, 0}, answer = {NULL, 0, 0};
	add(&frame, (const char *)head, 8); /* this machine is little-endian, as WebAssembly is */
	add(&frame, desired.at, desired.len);
	add(&frame, (const char *)&object.len, 4);
	add(&frame, object.at, object.len);
	char *request = cw_request(frame.len);
	if (!request)
		exit(2);
	memcpy(request, frame.at, frame.len);
	cw_str response = cw_answer(request, frame.len);
	if (response.len < 8 || response.at[0] == 2) {
		fprintf(stderr, "the converter ran out of memory\n");
		exit(2);
	}
	answer.refused = response.at[0];
	add(&answer, response.at + 8, response.len - 8);
	free(frame.at);
	return answer;
}

/* ---- declared fields --------------------------------------------------------------------------------------------------- */

enum { STEPS_MAX = 1000 };

/* What is left of the paths of declared fields below some value. */
typedef struct {
	const char *path[2 * STEPS_MAX];
	uint32_t count;
} paths;

/* Takes one step off a path, if it leads to the member key, or to elements where key is at NULL. Returns the rest, or NULL. */
static const char *step(const char *path, cw_str key)
{
	char name[1025];
	uint32_t n = 0;
	if (strncmp(path, "[]", 2) == 0)
		return key.at ? NULL : path + 2;
	if (!key.at)
		return NULL;
	if (strncmp(path, ".*", 2) == 0)
		return path + 2;
	if (*path == '[') {
		char quote = path[1];
		for (path += 2; *path && *path != quote && n < sizeof name - 1; path++) {
			path += *path == '\\' && path[1];
			name[n++] = *path;
		}
		path += strlen(path) < 2 ? strlen(path) : 2;
	} else {
		for (path += *path == '.'; *path && *path != '.' && *path != '[' && n < sizeof name - 1; path++)
			name[n++] = *path;
	}
	return n == key.len && memcmp(name, key.at, n) == 0 ? path : NULL;
}

static int leads_to_members(const paths *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strncmp(p->path[i], "[]", 2) != 0)
			return 1;
	return 0;
}

static paths *below(const paths *p, cw_str key)
{
	paths *rest = (paths *)calloc(1, sizeof *rest);
	for (uint32_t i = 0; rest && i < p->count; i++)
		if ((rest->path[rest->count] = step(p->path[i], key)) != NULL)
			rest->count++;
	return rest ? rest : (exit(2), rest);
}

/* Appends what is declared of v, as the gateway shows it; or all else, where declared is 0. */
static void part(text *t, cw_value *v, const paths *p, int declared)
{
	static const char *const nothing[] = {"", "null", "false", "0", "\"\"", "[]", "{}"};
	cw_type type = cw_typeof(v);
	const cw_str elements = {NULL, 0};
	paths *all = below(p, elements);
	int whole = 0, some = 0;
	for (uint32_t i = 0; i < p->count; i++)
		whole |= !*p->path[i];
	if (!whole && type == CW_OBJECT && leads_to_members(p)) {
		add(t, "{", 1);
		for (cw_value *m = cw_first(v); m; m = cw_next(m)) {
			cw_str key = cw_key(m), quoted = cw_quoted(v, key);
			paths *rest = below(p, key);
			if (rest->count || !declared) {
				add(t, ",", some++ ? 1 : 0);
				add(t, quoted.at, quoted.len);
				add(t, ":", 1);
				part(t, m, rest, declared);
			}
			free(rest);
		}
		add(t, "}", 1);
	} else if (!whole && type == CW_ARRAY && all->count) {
		add(t, "[", 1);
		for (cw_value *e = cw_first(v); e; e = cw_next(e)) {
			add(t, ",", some++ ? 1 : 0);
			part(t, e, all, declared);
		}
		add(t, "]", 1);
	} else if (whole == declared) {
		cw_str s = {"", 0};
		cw_raw(v, NULL, &s);
		add(t, s.at, s.len);
	} else {
		const char *s = whole ? "null" : nothing[type];
		add(t, s, (uint32_t)strlen(s));
	}
	free(all);
}

static text part_of(text object, const paths *p, int declared)
{
	text t = {NULL, 0, 0};
	part(&t, parse(object, 0), p, declared);
	return t;
}

static int version_is(const char *version, text s)
{
	return strcmp(version, s.at) == 0;
}

/* Makes all hashes of a stash alike: they are of what the converter saw. */
static void level(text object)
{
	static const char hash[] = "\\\"hash\\\":\\\"";
	for (char *at = object.at; (at = strstr(at, hash)) != NULL;) {
		at += sizeof hash - 1;
		for (int i = 0; i < 16 && *at; i++)
			*at++ = '0';
	}
}

/* Says how what becomes of an object of which only the declared fields are shown differs from what becomes of all of it; NULL if it does
 * not. */
static const char *undeclared(text object, text desired, text whole)
{
	paths *p = (paths *)calloc(1, sizeof *p);
	const char *why = NULL;
	if (!p)
		exit(2);
	cw_value *root = parse(object, 0);
	text from = string(root, "apiVersion");
	for (cw_value *m = cw_first(cw_get(cw_get(root, "metadata"), "annotations")); m; m = cw_next(m))
		if (is_stash(m)) { /* stale for one of them */
			free(p), free(from.at);
			return NULL;
		}
	for (uint32_t i = 0; i < cwi_module_field_count && p->count < 2 * STEPS_MAX - 2; i++)
		if (cwi_module_fields[i].path && (version_is(cwi_module_fields[i].version, from) || version_is(cwi_module_fields[i].version, desired)))
			p->path[p->count++] = cwi_module_fields[i].path;
	p->path[p->count++] = "apiVersion";
	p->path[p->count++] = "kind";
	text shown = part_of(object, p, 1), answer = convert(shown, desired);
	level(answer), level(whole);
	if (answer.refused != whole.refused) {
		why = answer.refused ? "it is refused when its declared fields alone are shown" : "it is refused only when all of it is shown";
	} else if (answer.refused) {
		why = strcmp(answer.at, whole.at) != 0 ? "it is refused with other words when its declared fields alone are shown" : NULL;
	} else {
		text a = part_of(answer, p, 1), w = part_of(whole, p, 1), rest = part_of(answer, p, 0);
		text was = part_of(object, p, 0), is = part_of(whole, p, 0);
		cw_value *x = parse(a, 0), *y = parse(w, 1), *z = parse(rest, 1), *before = parse(was, 1), *after = parse(is, 1);
		if (!empty(z))
			why = "a field is written that is not declared";
		else if (!equal(x, y, 1))
			why = "a field is read that is not declared";
		else if (!equal(before, after, 1))
			why = "a field is changed that is not declared";
		free(a.at), free(w.at), free(rest.at), free(was.at), free(is.at);
	}
	free(p), free(from.at), free(shown.at), free(answer.at);
	return why;
}

/* ---- vectors ----------------------------------------------------------------------------------------------------------- */

/* Returns vector i; NULL if there are no more. Parsed values are gone after the next conversion. */
static cw_value *vector_at(text file, uint32_t i)
{
	cw_value *v = cw_first(parse(file, 0));
	while (v && i--)
		v = cw_next(v);
	return v;
}

static cw_value *element(cw_value *list, uint32_t i)
{
	cw_value *e = cw_first(list);
	while (e && i--)
		e = cw_next(e);
	return e;
}

/* Converts object i of a vector and says what is wrong; NULL if nothing is. */
static const char *check(text object, text desired, text want, text want_error, int *refused)
{
	const char *why = NULL;
	text got = convert(object, desired), again = convert(object, desired);
	*refused = got.refused;
	if (got.refused != again.refused || strcmp(got.at, again.at) != 0) {
		why = "is converted differently the second time";
	} else if (want_error.len && got.refused && strcmp(got.at, want_error.at) != 0) {
		why = "should have been refused in other words";
	} else if (!want_error.len && got.refused) {
		why = "was refused";
	} else if (!want_error.len) {
		cw_value *a = parse(got, 0), *b = parse(want, 1);
		why = a && b && equal(a, b, 0) ? NULL : "became something else";
	}
	if (why)
		fprintf(stderr, "\tgot  %s\n\twant %s\n", got.at, want_error.len ? want_error.at : want.at);
	else if (cwi_module_field_count && !strstr(object.at, "/stash\":")) /* what a stash was taken of is stale to who sees more, or less */
		why = undeclared(object, desired, got);
	free(got.at), free(again.at);
	return why;
}

/* Runs vector i; returns -1 if there is none, otherwise the number of failures. */
static int run(text file, uint32_t i)
{
	cw_value *v = vector_at(file, i);
	if (!v)
		return -1;
	text name = string(v, "name"), desired = string(v, "desiredAPIVersion"), want_error = string(v, "wantError");
	uint32_t objects = count(cw_get(v, "objects")), refused = 0;
	int failures = 0, was_refused;
	cw_value *wants = cw_get(v, "want");
	if (!name.len || !desired.len || (want_error.len ? wants != NULL : !wants || count(wants) != objects)) {
		fprintf(stderr, "vector %u: needs name, desiredAPIVersion, objects, and either wantError or a list want with one answer for each object\n", i);
		failures++;
		objects = 0;
	}
	for (uint32_t j = 0; j < objects && !refused; j++) {
		v = vector_at(file, i);
		text object = raw(element(cw_get(v, "objects"), j)), want = raw(element(cw_get(v, "want"), j));
		const char *why = check(object, desired, want, want_error, &was_refused);
		if (why) {
			fprintf(stderr, "%s: object %u: %s\n", name.at, j, why);
			failures++;
		}
		refused += want_error.len && was_refused;
		free(object.at), free(want.at);
	}
	if (want_error.len && objects && !refused) {
		fprintf(stderr, "%s: no object was refused, but one should have been with\n\t%s\n", name.at, want_error.at);
		failures++;
	}
	free(name.at), free(desired.at), free(want_error.at);
	return failures;
}

static int run_file(const char *name)
{
	char block[4096];
	text file = {NULL, 0, 0};
	FILE *f = fopen(name, "rb");
	if (!f) {
		fprintf(stderr, "%s: cannot be read; crosswalk test --vectors writes it from the golden cases of the sidecar\n", name);
		return 1;
	}
	for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
		add(&file, block, (uint32_t)n);
	fclose(f);
	if (!file.at || cw_typeof(parse(file, 0)) != CW_ARRAY || !vector_at(file, 0)) {
		fprintf(stderr, "%s: no JSON list of vectors\n", name);
		return 1;
	}
	int failures = 0;
	for (uint32_t i = 0;; i++) {
		int failed = run(file, i);
		if (failed < 0) {
			printf("%s: %u vectors, %d failures\n", name, i, failures);
			break;
		}
		failures += failed;
	}
	free(file.at);
	return failures;
}

int main(int argc, char **argv)
{
	int failures = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: %s vectors.json...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		failures += run_file(argv[i]);
	return failures > 0;
}
