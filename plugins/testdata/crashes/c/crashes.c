/* Does what the object says in .spec.do: it refuses, traps or uses up its memory. The same module in every language lets a test see that
 * a crash is a crash in all of them. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"

static int is(cw_str s, const char *word)
{
	uint32_t n = 0;
	while (word[n] && n < s.len && s.at[n] == word[n])
		n++;
	return n == s.len && !word[n];
}

static int run(cw_object *o)
{
	cw_str what = {"", 0};
	if (cw_string(cw_get(o, "spec"), "do", &what) < 0)
		return -1;
	if (is(what, "refuse"))
		return cw_refuse(o, "not today");
	if (is(what, "silent"))
		return cw_refuse(o, "");
	if (is(what, "crash")) {
		static const cw_str why = {"no such field", 13};
		cw_log(3, why);
		__builtin_trap();
	}
	while (is(what, "memory") && !cw_refused(o))
		cw_format(o, "%s%s%s%s%s%s%s%s", "sixteen letters,", "sixteen letters,", "sixteen letters,", "sixteen letters,",
			"sixteen letters,", "sixteen letters,", "sixteen letters,", "sixteen letters,");
	return 0;
}

static const cw_conversion conversions[] = {
	{"example.com/v1", "example.com/v2", run},
};
CW_MODULE(conversions, "crashes", "1.0.0", "")
