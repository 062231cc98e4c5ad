/* Tests of the stash: the vectors that the SDKs of all languages share, cw_lossless, and what is nested deeply.
 *
 *	cc -fsanitize=address,undefined -I.. -o test stash.c && ./test ../../../plugins/testdata/stash.json */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"
#include "crosswalk_stash.h"

static int failures;

static void expect(int good, const char *what, cw_str got, cw_str want)
{
	if (good)
		return;
	failures++;
	fprintf(stderr, "%s: got %.*s, want %.*s\n", what, got.len < 1000 ? (int)got.len : 1000, got.at, want.len < 1000 ? (int)want.len : 1000, want.at);
}

static cw_str literal(const char *s)
{
	cw_str text = {s, (uint32_t)strlen(s)};
	return text;
}

/* ---- shared vectors ---------------------------------------------------------------------------------------------------- */

static void expect_hash(cw_value *vector, const char *key, uint64_t hash)
{
	cwi_text t = {NULL, 0, 0, 0};
	cwi_add_hex(&t, hash);
	cw_str got = {t.at, t.len}, want = cwi_text_at(vector, "hash");
	expect(cwi_same_text(got, want), key, got, want);
}

static int shared_vectors(cw_str file)
{
	int count = 0;
	cw_request(0);
	cw_value *all = cw_parse(NULL, file), *list = cw_get(all, "hash");
	for (cw_value *v = cw_first(list); v; v = cw_next(v), count++)
		expect_hash(v, "hash", cw_hash(cw_parse(NULL, cwi_text_at(v, "json"))));
	list = cw_get(all, "for");
	for (cw_value *v = cw_first(list); v; v = cw_next(v)) {
		cw_value *o = cw_parse(NULL, cwi_text_at(v, "json"));
		for (cw_value *h = cw_first(cw_get(v, "hashes")); h; h = cw_next(h), count++) {
			cw_str taken = {NULL, 0};
			uint64_t hash = 0;
			if (cw_get(h, "for"))
				cw_raw(h, "for", &taken);
			if (!cw_hash_for(o, taken, &hash))
				failures++;
			expect_hash(h, "for", hash);
		}
	}
	list = cw_get(all, "pointer");
	for (cw_value *v = cw_first(list); v; v = cw_next(v), count++) {
		cwi_text t = {NULL, 0, 0, 0};
		cw_str pointer = cwi_text_at(v, "pointer"), rest = pointer, token = {"", 0};
		for (cw_value *k = cw_first(cw_get(v, "keys")); k; k = cw_next(k)) {
			cw_str key = cwi_text_at(k, NULL);
			cwi_add_token(&t, key);
			expect(cwi_cut_token(&rest, &token) && cwi_same_text(token, key), "token", token, key);
		}
		cw_str got = {t.at ? t.at : "", t.len};
		expect(cwi_same_text(got, pointer) && rest.len == 0, "pointer", got, pointer);
	}
	list = cw_get(all, "served");
	for (cw_value *v = cw_first(list); v; v = cw_next(v), count++) {
		cw_str want = cwi_text_at(v, "served");
		cwi_text t = {NULL, 0, 0, 0};
		cwi_add_served(&t, cw_parse(NULL, cwi_text_at(v, "json")));
		cw_str got = {t.at, t.len};
		expect(cwi_same_text(got, want), "served", got, want);
		expect(cw_hash(cw_parse(NULL, cwi_text_at(v, "json"))) == cw_hash(cw_parse(NULL, want)), "the hash as served", got, want);
	}
	return count;
}

/* ---- lossless ---------------------------------------------------------------------------------------------------------- */

static int down(cw_object *o)
{
	cw_value *spec = cw_get(o, "spec");
	cw_rename(spec, "replicas", "size");
	for (cw_value *host = cw_first(cw_get(spec, "hosts")); host; host = cw_next(host))
		cw_remove(host, "port");
	cw_remove(spec, "tls");
	return 0;
}

static int up(cw_object *o)
{
	cw_value *spec = cw_make(o, "spec");
	if (cw_get(spec, "size") && cw_typeof(cw_get(spec, "size")) != CW_NUMBER)
		return cw_refuse(o, "no number");
	cw_rename(spec, "size", "replicas");
	if (!cw_get(spec, "policy"))
		cw_set_string(spec, "policy", "invented");
	return 0;
}

static int to_old(cw_object *o) { return cw_lossless(o, down, up); }
static int to_new(cw_object *o) { return cw_lossless(o, up, down); }

static const cw_conversion conversions[] = {
	{"e.g/new", "e.g/old", to_old},
	{"e.g/old", "e.g/new", to_new},
};
CW_MODULE(conversions, "lossless", "1", "")

/* Converts an object; what it returns is the caller's to free. */
static cw_str converted(cw_str object, const char *desired)
{
	uint32_t desired_len = (uint32_t)strlen(desired), size = 12 + desired_len + object.len;
	char *request = cw_request(size), *copy;
	cwi_put_u32(request, 1);
	cwi_put_u32(request + 4, desired_len);
	memcpy(request + 8, desired, desired_len);
	cwi_put_u32(request + 8 + desired_len, object.len);
	memcpy(request + 12 + desired_len, object.at, object.len);
	cw_str answer = cw_answer(request, size);
	if (answer.len < 8 || cwi_u32(answer.at)) {
		expect(0, "refused", answer, object);
		exit(1);
	}
	answer.len -= 8;
	copy = (char *)malloc(answer.len + 1);
	memcpy(copy, answer.at + 8, answer.len);
	copy[answer.len] = '\0';
	answer.at = copy;
	return answer;
}

/* kept is in the stash of the older version; back is what becomes of the object then, or NULL for the object itself. */
static void lossless(const char *rest, const char *kept, const char *back)
{
	char object[500];
	snprintf(object, sizeof object, "{\"apiVersion\":\"e.g/new\",%s}", rest);
	cw_str old = converted(literal(object), "e.g/old"), again = converted(old, "e.g/new");
	expect(strstr(old.at, kept) != NULL, "kept", old, literal(kept));
	cw_request(0);
	cw_value *a = cw_parse(NULL, again), *b = cw_parse(NULL, literal(back ? back : object));
	expect(cw_hash(a) == cw_hash(b), "there and back", again, literal(back ? back : object));
	free((char *)old.at);
	free((char *)again.at);
}

/* Nothing recurses: 50,000 levels are no matter for the stack. */
static void deep(void)
{
	enum { LEVELS = 50000 };
	static char object[16 * LEVELS];
	char *at = object + sprintf(object, "{\"apiVersion\":\"e.g/new\",\"metadata\":{},\"spec\":{\"policy\":\"p\",\"tls\":1,\"deep\":");
	for (int i = 0; i < LEVELS; i++)
		at += sprintf(at, "[{\"a\":");
	at += sprintf(at, "1");
	for (int i = 0; i < LEVELS; i++)
		at += sprintf(at, "}]");
	sprintf(at, "}}");
	cw_str old = converted(literal(object), "e.g/old"), again = converted(old, "e.g/new");
	expect(strstr(old.at, "\\\"set\\\":{\\\"/spec/tls\\\":1}") != NULL, "deep", literal("another stash"), literal("/spec/tls"));
	expect(again.len == strlen(object), "deep", literal("another length"), literal("the same"));
	free((char *)old.at);
	free((char *)again.at);
}

int main(int argc, char **argv)
{
	static char file[1 << 20];
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!f || !fread(file, 1, sizeof file - 1, f)) {
		fprintf(stderr, "usage: %s stash.json\n", argv[0]);
		return 2;
	}
	fclose(f);
	int count = shared_vectors(literal(file));
	if (count < 120)
		failures++;
	lossless("\"metadata\":{},\"spec\":{\"policy\":\"p\",\"hosts\":[{\"n\":1,\"port\":2},{\"n\":3}],\"tls\":{\"a\":1}}",
		"\\\"set\\\":{\\\"/spec/hosts/0/port\\\":2,\\\"/spec/tls\\\":{\\\"a\\\":1}}", NULL);
	lossless("\"metadata\":{},\"spec\":{\"replicas\":1}", "\\\"gone\\\":[\\\"/spec/policy\\\"]", NULL);
	lossless("\"metadata\":{}", "\\\"gone\\\":[\\\"/spec\\\"]", NULL);
	lossless("\"metadata\":{},\"spec\":{\"policy\":\"p\",\"tls\":{\"b\":2,\"\\u0000/~\":null}}", "{\\\"/spec/tls\\\":{\\\"b\\\":2,\\\"\\\\u0000/~\\\":null}}", NULL);
	lossless("\"spec\":{\"policy\":\"p\",\"tls\":1}", "\"spec\":{\"policy\":\"p\"}}", "{\"apiVersion\":\"e.g/new\",\"spec\":{\"policy\":\"p\"}}");
	lossless("\"metadata\":{},\"spec\":{\"replicas\":1,\"policy\":\"p\"}", "{\"size\":1,\"policy\":\"p\"}}", NULL);
	deep();
	printf("stash: %d vectors, %d failures\n", count, failures);
	return failures > 0;
}
