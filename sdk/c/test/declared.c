/* What a module that declares its fields has to declare too, and is told if it forgot: the gateway would show it less than it needs to
 * be right. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"
#include "crosswalk_helpers.h"
#include "crosswalk_stash.h"

#include <stdio.h>
#include <string.h>

static int convert_default(cw_object *o)
{
	return cw_default(cw_get(o, "spec"), "size", "1") < 0 ? -1 : 0;
}

static int convert_stash(cw_object *o)
{
	return cw_stash(cw_get(o, "spec"), "size") < 0 ? -1 : 0;
}

static int convert_restore(cw_object *o)
{
	cw_restore(o);
	return 0;
}

static const cw_conversion conversions[] = {
	{"bare/v1", "bare/v2", convert_default},
	{"bare/v2", "bare/v1", convert_stash},
	{"bare/v3", "bare/v1", convert_restore},
	{"full/v1", "full/v2", convert_default},
	{"full/v2", "full/v1", convert_stash},
	{"full/v3", "full/v1", convert_restore},
};
static const cw_field fields[] = {
	{"bare/v1", "spec"},
	{"bare/v2", "metadata.name"},
	{"bare/v3", "metadata.annotations.x"},
	{"full/v1", "spec"},
	{"full/v1", "metadata.annotations['conversion.full/stash']"},
	{"full/v2", "metadata.uid"},
	{"full/v3", 0},
};
CW_MODULE_FIELDS(conversions, fields, "declared", "1.0.0", "")

#define NO_STASH "the module declares fields, and keeps a stash: it has to declare metadata.annotations['conversion.bare/stash'] too (CW_MODULE_FIELDS)"

static const struct {
	const char *from, *to, *refusal;
} cases[] = {
	{"bare/v1", "bare/v2", "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (CW_MODULE_FIELDS)"},
	{"bare/v2", "bare/v1", NO_STASH},
	{"bare/v3", "bare/v1", NO_STASH},
	{"full/v1", "full/v2", ""},
	{"full/v2", "full/v1", ""},
	{"full/v3", "full/v1", ""},
};

static char *number(char *at, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		*at++ = (char)(n >> 8 * i);
	return at;
}

int main(void)
{
	int failures = 0;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char object[256];
		uint32_t len = (uint32_t)snprintf(object, sizeof object, "{\"apiVersion\":\"%s\",\"kind\":\"K\",\"metadata\":{\"uid\":\"u\"},\"spec\":{\"size\":1}}", cases[i].from);
		uint32_t to = (uint32_t)strlen(cases[i].to), size = 12 + to + len;
		char *request = cw_request(size), *at = request;
		if (!request)
			return 2;
		at = number(number(at, 1), to);
		memcpy(at, cases[i].to, to);
		at = number(at + to, len);
		memcpy(at, object, len);
		cw_str answer = cw_answer(request, size), refusal = {"", 0};
		if (answer.len < 8 || answer.at[0])
			refusal.at = answer.at + 8, refusal.len = answer.len < 8 ? 0 : answer.len - 8;
		if (!cw_is(refusal, cases[i].refusal)) {
			fprintf(stderr, "%s to %s: refused with \"%.*s\", want \"%s\"\n", cases[i].from, cases[i].to, CW_ARG(refusal), cases[i].refusal);
			failures++;
		}
	}
	printf("declared: %d failures\n", failures);
	return failures != 0;
}
