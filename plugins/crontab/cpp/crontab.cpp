// Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each of its
// fields.
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

using crosswalk::object;
using crosswalk::text;

// The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
#define PARTIAL "conversion.stable.example.com/partial-schedule"

// The members of a v2 spec that make up the schedule, in the order of cron.
static constexpr int count = 5;
static constexpr const char *names[count] = {"min", "hour", "dayOfMonth", "month", "dayOfWeek"};

static constexpr char space[] = " \t\n\v\f\r";

// Takes the next word off a text; it is empty when there is none.
static text next_word(text &rest)
{
	while (!rest.empty() && rest.find_first_of(space) == 0)
		rest = rest.substr(1);
	uint32_t end = rest.find_first_of(space);
	text word = rest.substr(0, end);
	rest = rest.substr(word.size());
	return word;
}

// Puts back what v2_to_v1 kept in the annotation.
static void restore(object o, text kept)
{
	text rest = kept;
	for (text word = next_word(rest); !word.empty(); word = next_word(rest)) {
		uint32_t equals = word.find("=");
		bool known = false;
		for (const char *name : names) {
			if (equals + 1 < word.size() && word.substr(0, equals) == name) {
				o.set({"spec", name}, word.substr(equals + 1));
				known = true;
			}
		}
		if (!known)
			return o.refuse(o.get({"metadata", "annotations"}).location(PARTIAL), " must be like \"min=0 hour=3\", but is ", o.quoted(kept));
	}
}

static void v1_to_v2(object o)
{
	auto kept = o.annotation(PARTIAL);
	if (auto schedule = o.string({"spec", "cronSpec"})) {
		text words[count], rest = *schedule;
		int found = 0;
		for (text word = next_word(rest); !word.empty(); word = next_word(rest), found++)
			if (found < count)
				words[found] = word;
		if (found != count)
			return o.refuse(".spec.cronSpec must have five fields separated by spaces, but ", o.quoted(*schedule), " has ", found);
		for (int i = 0; i < count; i++)
			o.set({"spec", names[i]}, words[i]);
	} else if (kept && !o.refused()) {
		restore(o, *kept);
	}
	o.remove_annotation(PARTIAL);
	o.remove({"spec", "cronSpec"});
}

static void v2_to_v1(object o)
{
	crosswalk::maybe<text> parts[count];
	int found = 0;
	for (int i = 0; i < count; i++) {
		parts[i] = o.string({"spec", names[i]});
		text rest = parts[i].value_or("");
		if (parts[i] && (rest.empty() || rest.find_first_of(space) != text::npos))
			return o.refuse(".spec.", names[i], " must be one field of a cron schedule, without spaces, but is ", o.quoted(rest));
		found += parts[i].has_value();
	}
	text schedule, kept;
	for (int i = 0; i < count; i++) {
		o.remove({"spec", names[i]});
		if (!parts[i])
			continue;
		schedule = o.concat(schedule, i ? " " : "", *parts[i]);
		kept = o.concat(kept, kept.empty() ? "" : " ", names[i], "=", *parts[i]);
	}
	if (found == 0 || found == count)
		o.remove_annotation(PARTIAL);
	else
		o.set_annotation(PARTIAL, kept);
	if (found == count)
		o.set({"spec", "cronSpec"}, schedule);
}

static const crosswalk::conversion conversions[] = {
	{"stable.example.com/v1", "stable.example.com/v2", crosswalk::convert<v1_to_v2>},
	{"stable.example.com/v2", "stable.example.com/v1", crosswalk::convert<v2_to_v1>},
};

// What is read and written of each version; the rest of an object passes by.
static const crosswalk::field fields[] = {
	{"stable.example.com/v1", "spec.cronSpec"},
	{"stable.example.com/v1", "metadata.annotations['" PARTIAL "']"},
	{"stable.example.com/v2", "spec.min"},
	{"stable.example.com/v2", "spec.hour"},
	{"stable.example.com/v2", "spec.dayOfMonth"},
	{"stable.example.com/v2", "spec.month"},
	{"stable.example.com/v2", "spec.dayOfWeek"},
};

CW_MODULE_FIELDS(conversions, fields, "crontab", "1.0.0", "Apache-2.0")
