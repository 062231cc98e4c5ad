// Tests of what is C++ about the SDK: text, values that may be absent, what is remembered to have gone wrong, lossless.
//
//	c++ -std=c++17 -I.. -I../../c -o test values.cpp && ./test
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

using crosswalk::object;
using crosswalk::text;
using crosswalk::value;

static int failures;

static void expect(text name, text got, text want)
{
	if (got == want)
		return;
	failures++;
	fprintf(stderr, "%.*s: got  %.*s\n\twant %.*s\n", CW_ARG(cw_str(name)), CW_ARG(cw_str(got)), CW_ARG(cw_str(want)));
}

static_assert(text("a.b.c").find(".") == 1 && text("a.b").find("x") == text::npos && text("").find("") == 0);
static_assert(text("a.b").find_first_of(".:") == 1 && text("ab").substr(1) == "b" && text("ab").substr(5).empty());
static_assert(text("ab").substr(0, 1) == "a" && text("ab").starts_with("a") && !text("a").starts_with("ab"));
static_assert(std::string_view(text("ab")) == "ab" && text(std::string_view("ab")) == "ab" && text("ab") != "abc");
static_assert(crosswalk::maybe<int>().value_or(3) == 3 && *crosswalk::maybe<int>(2) == 2 && !crosswalk::maybe<int>());

// Each kind of object is a test of its own, whose answer or refusal is compared with its line in main.
static void run(object o)
{
	text kind = o.string("kind").value_or("");
	if (kind == "Reads") {
		o.set("out", o.concat(o.string({"s"}).value_or("-"), " ", *o.integer({"m", "i"}), " ", *o.boolean("b") ? "yes" : "no", " ",
			o.string({"m", "none", "at", "all"}).value_or("-"), " ", o.get({"m", "i"}).location(), " ", o["m"]["none"] ? "yes" : "no"));
		o.set("types", o.concat(int(o.type("none")), int(o.type("n")), int(o.type("b")), int(o.type({"m", "i"})), int(o.type("s")), int(o.type("l")), int(o.type())));
	} else if (kind == "Wrong") {
		o.set("before", true);
		if (!o.string({"spec", "size"})) // a number: remembered, and what follows is no longer of interest
			o.refuse("there is no size");
	} else if (kind == "WrongOnTheWay") {
		o.integer({"spec", "size", "x"});
	} else if (kind == "Absent") {
		o["none"]["at all"].refuse("refused for ", -9223372036854775807 - 1, " reasons, or ", 42u);
	} else if (kind == "Edits") {
		o.set({"a", "b", "c"}, 1);
		o.set({"a", "b", "d"}, "x");
		o.set("copy", o["a"]);
		o.append({"list", "of"}, "x");
		o.append({"list", "of"}, crosswalk::raw{" [1] "});
		o.rename({"a", "b"}, "e");
		o.move({"a", "e", "c"}, {"moved", "to"});
		o.move("none", {"nothing", "is", "made"});
		o.remove({"a", "e", "d"});
		o.set_default({"a", "f"}, 7);
		o.set_default({"none", "f"}, 7);
		o.set_label("app", "x");
		for (value m : o.members("copy"))
			o.append("keys", m.key());
		for (value e : o.elements("numbers"))
			if (*e.integer() % 2)
				e.remove();
	} else if (kind == "Taken") {
		o.rename("a", "b");
	} else if (kind == "Logs") {
		crosswalk::log(crosswalk::level::info, o.concat("a line of the test, level ", 1));
	}
}

static void down(object o)
{
	o.rename({"spec", "replicas"}, "size");
	o.remove({"spec", "tls"});
}

static void up(object o) { o.rename({"spec", "size"}, "replicas"); }

static const crosswalk::conversion conversions[] = {
	{"e.g/v1", "e.g/v2", crosswalk::convert<run>},
	{"e.g/new", "e.g/old", crosswalk::lossless<down, up>},
	{"e.g/old", "e.g/new", crosswalk::lossless<up, down>},
};
CW_MODULE(conversions, "values", "1", "")

// Converts an object and returns the answer, valid until the next call, with its status before it.
static text convert(text o, text to)
{
	static char response[10000];
	char *request = cw_request(12 + to.size() + o.size());
	uint32_t head[] = {1, to.size()}, size = o.size();
	memcpy(request, head, 8);
	memcpy(request + 8, to.data(), to.size());
	memcpy(request + 8 + to.size(), &size, 4);
	memcpy(request + 12 + to.size(), o.data(), o.size());
	text answer = cw_answer(request, 12 + to.size() + o.size());
	if (answer.size() < 8 || answer.size() > sizeof response)
		return "no answer";
	memcpy(response, answer.data(), answer.size());
	return text(response, answer.size()).substr(8);
}

int main()
{
	static const struct {
		const char *kind, *rest, *want;
	} cases[] = {
		{"Reads", R"("s":"\u00e9","m":{"i":-5},"b":true,"n":null,"l":[])",
			R"("s":"\u00e9","m":{"i":-5},"b":true,"n":null,"l":[],"out":"é -5 yes - .m.i no","types":"0123456")"},
		{"Wrong", R"("spec":{"size":1})", ".spec.size must be a string, but is a number"},
		{"WrongOnTheWay", R"("spec":{"size":1})", ".spec.size must be an object, but is a number"},
		{"Absent", R"("a":1)", "refused for -9223372036854775808 reasons, or 42"},
		{"Edits", R"("metadata":{"uid":"u"},"numbers":[1,2,3])",
			R"("metadata":{"uid":"u","labels":{"app":"x"}},"numbers":[2],"a":{"e":{},"f":7},"copy":{"b":{"c":1,"d":"x"}},)"
			R"("list":{"of":["x",[1]]},"moved":{"to":1},"keys":["b"])"},
		{"Taken", R"("a":1,"b":2)", ".a cannot be renamed: .b is there already"},
		{"Logs", R"("a":1)", R"("a":1)"},
	};
	for (auto &c : cases) {
		char o[500], want[500];
		snprintf(o, sizeof o, R"({"apiVersion":"e.g/v1","kind":"%s",%s})", c.kind, c.rest);
		snprintf(want, sizeof want, *c.want == '"' ? R"({"apiVersion":"e.g/v2","kind":"%s",%s})" : "%.0s%s", c.kind, c.want);
		expect(c.kind, convert(o, "e.g/v2"), want);
	}
	char old[500];
	text first = R"({"apiVersion":"e.g/new","metadata":{},"spec":{"tls":1,"replicas":2}})", second = convert(first, "e.g/old");
	memcpy(old, second.data(), second.size());
	second = text(old, second.size());
	expect("kept", second.find(R"(\"set\":{\"/spec/tls\":1})") != text::npos ? "kept" : second, "kept");
	expect("there and back", convert(second, "e.g/new"), R"({"apiVersion":"e.g/new","metadata":{},"spec":{"replicas":2,"tls":1}})");
	printf("values: %d failures\n", failures);
	return failures > 0;
}
