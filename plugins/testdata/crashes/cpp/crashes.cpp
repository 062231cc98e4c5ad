// Does what the object says in .spec.do: it refuses, traps or uses up its memory. The same module in every language lets a test see that
// a crash is a crash in all of them.
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

static void run(crosswalk::object o)
{
	crosswalk::text what = o.get("spec").string("do").value_or("");
	if (what == "refuse") {
		o.refuse("not today");
	} else if (what == "silent") {
		o.refuse("");
	} else if (what == "crash") {
		cw_log(3, crosswalk::text("no such field"));
		__builtin_trap();
	}
	while (what == "memory" && !o.refused())
		o.concat("sixteen letters,", "sixteen letters,", "sixteen letters,", "sixteen letters,", "sixteen letters,", "sixteen letters,");
}

static const crosswalk::conversion conversions[] = {
	{"example.com/v1", "example.com/v2", crosswalk::convert<run>},
};
CW_MODULE(conversions, "crashes", "1.0.0", "")
