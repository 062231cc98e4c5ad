/* Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each
 * of its fields. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"

/* The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3". */
#define PARTIAL "conversion.stable.example.com/partial-schedule"
static const char partial[] = PARTIAL;

/* The members of a v2 spec that make up the schedule, in the order of cron. */
enum { FIELDS = 5 };
static const char *const fields[FIELDS] = {"min", "hour", "dayOfMonth", "month", "dayOfWeek"};

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Takes the next word off text; its length is 0 when there is none. */
static cw_str next_word(cw_str *text)
{
	cw_str word;
	while (text->len > 0 && is_space(*text->at))
		text->at++, text->len--;
	word.at = text->at;
	while (text->len > 0 && !is_space(*text->at))
		text->at++, text->len--;
	word.len = (uint32_t)(text->at - word.at);
	return word;
}

/* Puts back what v2_to_v1 kept in the annotation. */
static int restore(cw_object *o, cw_str kept)
{
	cw_str rest = kept, word;
	while ((word = next_word(&rest)).len > 0) {
		uint32_t equals = 0;
		int known = 0;
		while (equals < word.len && word.at[equals] != '=')
			equals++;
		for (int i = 0; i < FIELDS && equals + 1 < word.len; i++) {
			cw_str name = {word.at, equals}, value = {word.at + equals + 1, word.len - equals - 1};
			if (cw_is(name, fields[i])) {
				cw_set_str(cw_make(o, "spec"), fields[i], value);
				known = 1;
			}
		}
		if (!known) {
			cw_str at = cw_location(cw_get(cw_get(o, "metadata"), "annotations"), partial), text = cw_quoted(o, kept);
			return cw_refuse(o, "%.*s must be like \"min=0 hour=3\", but is %.*s", CW_ARG(at), CW_ARG(text));
		}
	}
	return 0;
}

static int v1_to_v2(cw_object *o)
{
	cw_str kept, schedule;
	int incomplete = cw_annotation(o, partial, &kept) > 0;
	cw_value *spec = cw_get(o, "spec");
	int found = cw_string(spec, "cronSpec", &schedule);
	if (found < 0)
		return -1;
	if (found) {
		cw_str rest = schedule, word, words[FIELDS];
		int count = 0;
		for (; (word = next_word(&rest)).len > 0; count++)
			if (count < FIELDS)
				words[count] = word;
		if (count != FIELDS) {
			cw_str text = cw_quoted(o, schedule);
			return cw_refuse(o, ".spec.cronSpec must have five fields separated by spaces, but %.*s has %d", CW_ARG(text), count);
		}
		for (int i = 0; i < FIELDS; i++)
			cw_set_str(spec, fields[i], words[i]);
	} else if (incomplete && restore(o, kept) < 0) {
		return -1;
	}
	if (incomplete)
		cw_remove_annotation(o, partial);
	cw_remove(spec, "cronSpec");
	return 0;
}

static int v2_to_v1(cw_object *o)
{
	cw_value *spec = cw_get(o, "spec");
	cw_str parts[FIELDS];
	int count = 0;
	for (int i = 0; i < FIELDS; i++) {
		int found = cw_string(spec, fields[i], &parts[i]);
		if (found < 0)
			return -1;
		if (!found) {
			parts[i].len = 0;
			continue;
		}
		cw_str rest = parts[i];
		if (parts[i].len == 0 || next_word(&rest).len != parts[i].len) {
			cw_str text = cw_quoted(o, parts[i]);
			return cw_refuse(o, ".spec.%s must be one field of a cron schedule, without spaces, but is %.*s", fields[i], CW_ARG(text));
		}
		count++;
	}
	for (int i = 0; i < FIELDS; i++)
		cw_remove(spec, fields[i]);
	if (count == 0 || count == FIELDS)
		cw_remove_annotation(o, partial);
	if (count == FIELDS) {
		cw_str schedule = cw_format(o, "%.*s %.*s %.*s %.*s %.*s", CW_ARG(parts[0]), CW_ARG(parts[1]), CW_ARG(parts[2]), CW_ARG(parts[3]), CW_ARG(parts[4]));
		cw_set_str(spec, "cronSpec", schedule);
	} else if (count > 0) {
		cw_str kept = {"", 0};
		for (int i = 0; i < FIELDS; i++)
			if (parts[i].len > 0)
				kept = cw_format(o, "%.*s%s%s=%.*s", CW_ARG(kept), kept.len ? " " : "", fields[i], CW_ARG(parts[i]));
		cw_set_annotation(o, partial, kept);
	}
	return 0;
}

static const cw_conversion conversions[] = {
	{"stable.example.com/v1", "stable.example.com/v2", v1_to_v2},
	{"stable.example.com/v2", "stable.example.com/v1", v2_to_v1},
};

/* What is read and written of each version; the rest of an object passes by. */
static const cw_field declared[] = {
	{"stable.example.com/v1", "spec.cronSpec"},
	{"stable.example.com/v1", "metadata.annotations['" PARTIAL "']"},
	{"stable.example.com/v2", "spec.min"},
	{"stable.example.com/v2", "spec.hour"},
	{"stable.example.com/v2", "spec.dayOfMonth"},
	{"stable.example.com/v2", "spec.month"},
	{"stable.example.com/v2", "spec.dayOfWeek"},
};

CW_MODULE_FIELDS(conversions, declared, "crontab", "1.0.0", "Apache-2.0")
