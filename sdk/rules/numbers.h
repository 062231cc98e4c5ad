/* numbers.h - integers, quantities and durations as text. All are counts of a unit, in 64 bits. */
#ifndef RULES_NUMBERS_H
#define RULES_NUMBERS_H

#include "messages.h"

enum type { TYPE_ANY, TYPE_STRING, TYPE_INTEGER, TYPE_NUMBER, TYPE_BOOLEAN, TYPE_QUANTITY, TYPE_DURATION, TYPE_OBJECT, TYPE_LIST, TYPE_API_VERSION, TYPE_API_GROUP };

/* A count, and whether something of the text is lost in it. */
typedef struct {
	uint64_t n;
	int negative, inexact;
} count;

/* The limit is hidden from the compiler, which would multiply in 128 bits, by a function that no freestanding program has. */
static int multiply(uint64_t *n, uint64_t by)
{
	uint64_t limit = UINT64_MAX / by;
	__asm__("" : "+r"(limit));
	if (*n > limit)
		return 0;
	*n *= by;
	return 1;
}

static void divide(count *c, uint64_t by)
{
	c->inexact |= c->n % by != 0;
	c->n /= by;
}

/* Makes a count signed; 0 if it does not fit. */
static int signed_count(uint64_t n, int negative, int64_t *out)
{
	if (n > (uint64_t)INT64_MAX + (uint64_t)negative)
		return 0;
	*out = (int64_t)(negative ? 0 - n : n);
	return 1;
}

/* Rounds up what was divided, and makes the count signed; 0 if it does not fit. */
static int rounded(count *c, int64_t *out)
{
	if (c->inexact && !c->negative)
		c->n++;
	return signed_count(c->n, c->negative, out);
}

/* Multiplies a signed number; 0 if it does not fit. */
static int multiply_signed(int64_t *n, uint64_t by)
{
	uint64_t u = *n < 0 ? 0 - (uint64_t)*n : (uint64_t)*n;
	return multiply(&u, by) && signed_count(u, *n < 0, n);
}

static int digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits, with a point among them if places is not NULL; *places is how many follow it. Returns how many bytes it read, 0 if they are
 * not a number or too many. */
static uint32_t digits(cw_str s, uint64_t *n, uint32_t *places)
{
	uint32_t i = 0, some = 0, point = 0;
	*n = 0;
	for (; i < s.len; i++) {
		if (s.at[i] == '.' && places && !point) {
			point = 1;
			*places = 0;
			continue;
		}
		if (!digit(s.at[i]))
			break;
		if (*n > (UINT64_MAX - 9) / 10)
			return 0;
		*n = *n * 10 + (uint64_t)(s.at[i] - '0');
		some = 1;
		if (point)
			++*places;
	}
	return some ? i : 0;
}

static int sign(cw_str *s)
{
	int negative = s->len && *s->at == '-';
	if (negative || (s->len && *s->at == '+'))
		s->at++, s->len--;
	return negative;
}

static int read_integer(cw_str s, int64_t *out)
{
	count c = {0, sign(&s), 0};
	return s.len && digits(s, &c.n, NULL) == s.len && rounded(&c, out);
}

/* Reports whether an API server certainly writes a JSON number as it is spelled: 1.50 becomes 1.5, and 0.0000001 becomes 1e-7. */
static int is_plain_number(cw_str s)
{
	uint32_t i = s.len && s.at[0] == '-', first = i, point = s.len, small = 0;
	for (; i < s.len; i++) {
		if (s.at[i] == '.')
			point = i;
		else if (s.at[i] < '0' || s.at[i] > '9')
			return 0;
	}
	if (point == s.len)
		return s.len - first <= 18 && (s.at[first] != '0' || !first); /* an int64, and not -0 */
	while (point + 1 + small < s.len && s.at[point + 1 + small] == '0')
		small++;
	return s.len - first <= 16 && s.at[s.len - 1] != '0' && (s.at[first] != '0' || small < 6);
}

/* ---- durations: "1h30m0s" ---- */

static const struct { const char *name; uint64_t nanoseconds; } duration_units[] = {
	{"ns", 1}, {"us", 1000}, {"\xc2\xb5s", 1000}, {"\xce\xbcs", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000},
};

static uint64_t unit_of(cw_str s, uint32_t *len)
{
	uint64_t found = 0;
	*len = 0;
	for (uint32_t i = 0; i < sizeof duration_units / sizeof *duration_units; i++) {
		uint32_t n = cwi_length(duration_units[i].name);
		if (n <= s.len && n > *len && cwi_equal(s.at, duration_units[i].name, n)) {
			*len = n;
			found = duration_units[i].nanoseconds;
		}
	}
	return found;
}

/* Reads a duration as a count of nanoseconds. */
static int read_duration(cw_str s, count *out)
{
	count c = {0, sign(&s), 0};
	*out = c;
	if (cw_is(s, "0"))
		return 1;
	if (!s.len)
		return 0;
	while (s.len) {
		uint64_t n;
		uint32_t places = 0, len = digits(s, &n, &places);
		if (!len)
			return 0;
		s.at += len, s.len -= len;
		uint64_t unit = unit_of(s, &len);
		if (!unit)
			return 0;
		s.at += len, s.len -= len;
		count part = {n, 0, 0};
		for (; places && unit % 10 == 0; places--)
			unit /= 10;
		if (!multiply(&part.n, unit))
			return 0;
		for (; places; places--)
			divide(&part, 10);
		out->inexact |= part.inexact;
		if (out->n + part.n < out->n)
			return 0;
		out->n += part.n;
	}
	return out->n <= (uint64_t)INT64_MAX + (uint64_t)out->negative; /* as much as Go's */
}

/* Appends n nanoseconds as Go and Kubernetes write a duration. */
static void add_duration(cwi_text *t, int64_t nanoseconds)
{
	uint64_t n = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
	uint64_t seconds = n / 1000000000, fraction = n % 1000000000;
	const char *unit = "s";
	uint32_t places = 9;
	if (nanoseconds < 0)
		cwi_add_byte(t, '-');
	if (n && n < 1000000000) {
		unit = n < 1000 ? "ns" : n < 1000000 ? "\xc2\xb5s" : "ms";
		places = n < 1000 ? 0 : n < 1000000 ? 3 : 6;
		uint64_t scale = n < 1000 ? 1 : n < 1000000 ? 1000 : 1000000;
		seconds = n / scale;
		fraction = n % scale;
	} else {
		if (seconds >= 3600) {
			cwi_add_int(t, (int64_t)(seconds / 3600));
			cwi_add_byte(t, 'h');
		}
		if (seconds >= 60) {
			cwi_add_int(t, (int64_t)(seconds / 60 % 60));
			cwi_add_byte(t, 'm');
		}
		seconds %= 60;
	}
	cwi_add_int(t, (int64_t)seconds);
	if (fraction) {
		char text[10];
		for (uint32_t i = places; i-- > 0; fraction /= 10)
			text[i] = (char)('0' + fraction % 10);
		while (places && text[places - 1] == '0')
			places--;
		cwi_add_byte(t, '.');
		for (uint32_t i = 0; i < places; i++)
			cwi_add_byte(t, text[i]);
	}
	cwi_add_string(t, unit);
}

/* ---- quantities: "1.5Gi" ---- */

/* A unit is a power of ten times a power of 1024. The packer names units by their index. */
static const struct { const char *suffix; int tens, kibis; } quantity_units[] = {
	{"", 0, 0}, {"n", -9, 0}, {"u", -6, 0}, {"m", -3, 0}, {"k", 3, 0}, {"M", 6, 0}, {"G", 9, 0}, {"T", 12, 0}, {"P", 15, 0}, {"E", 18, 0},
	{"Ki", 0, 1}, {"Mi", 0, 2}, {"Gi", 0, 3}, {"Ti", 0, 4}, {"Pi", 0, 5}, {"Ei", 0, 6}, {"", 0, 0},
};
enum { UNIT_ONE = 0, UNIT_KI = 10, UNIT_EI = 15, UNIT_BYTES = 16, UNITS = 17 };

/* Brings a count to 10^tens × 1024^kibis of its unit. */
static int scale(count *c, int tens, int kibis)
{
	for (; tens > 0; tens--)
		if (!multiply(&c->n, 10))
			return 0;
	for (; kibis > 0; kibis--)
		if (!multiply(&c->n, 1024))
			return 0;
	for (; tens < 0; tens++)
		divide(c, 10);
	for (; kibis < 0; kibis++)
		divide(c, 1024);
	return 1;
}

/* Reads a quantity as a count of a unit. */
static int read_quantity(cw_str s, uint32_t unit, count *out)
{
	uint32_t places = 0, len;
	out->inexact = 0;
	out->negative = sign(&s);
	len = digits(s, &out->n, &places);
	if (!len)
		return 0;
	s.at += len, s.len -= len;
	int tens = -(int)places, kibis = 0, known = 0;
	for (uint32_t i = 0; i < UNIT_BYTES && !known; i++)
		if (cw_is(s, quantity_units[i].suffix)) {
			tens += quantity_units[i].tens;
			kibis = quantity_units[i].kibis;
			known = 1;
		}
	if (!known) { /* 1e3 */
		int64_t exponent;
		if ((*s.at != 'e' && *s.at != 'E') || s.len > 4)
			return 0;
		s.at++, s.len--;
		if (!read_integer(s, &exponent))
			return 0;
		tens += (int)exponent;
	}
	return !out->n || scale(out, tens - quantity_units[unit].tens, kibis - quantity_units[unit].kibis);
}

/* The size of a unit of quantities over that of another one, as a fraction; 0 if it does not fit. */
static int ratio(uint32_t from, uint32_t to, uint64_t *over, uint64_t *under)
{
	int tens = quantity_units[from].tens - quantity_units[to].tens, kibis = quantity_units[from].kibis - quantity_units[to].kibis, fits = 1;
	*over = *under = 1;
	for (; tens > 0; tens--)
		fits &= multiply(over, 10);
	for (; tens < 0; tens++)
		fits &= multiply(under, 10);
	for (; kibis > 0; kibis--)
		fits &= multiply(over, 1024);
	for (; kibis < 0; kibis++)
		fits &= multiply(under, 1024);
	return fits;
}

/* Brings a count of a unit to a count of another one. */
static int recount(count *c, int durations, uint32_t from, uint32_t to)
{
	uint64_t over = duration_units[durations ? from : 0].nanoseconds, under = duration_units[durations ? to : 0].nanoseconds;
	if (durations && over >= under)
		over /= under, under = 1; /* one divides the other */
	else if (durations)
		under /= over, over = 1;
	else if (!ratio(from, to, &over, &under))
		return 0;
	uint64_t rest = c->n % under;
	c->n /= under;
	if (!multiply(&c->n, over) || !multiply(&rest, over))
		return 0;
	c->inexact |= rest % under != 0;
	rest /= under;
	c->n += rest;
	return c->n >= rest;
}

/* Appends a count of a unit with the largest suffix that leaves an integer, as Kubernetes does. */
static void add_quantity(cwi_text *t, int64_t n, uint32_t unit)
{
	static const uint8_t decimal[] = {1, 2, 3, 0, 4, 5, 6, 7, 8, 9}; /* by size */
	int binary = unit >= UNIT_KI;
	uint32_t i = 0;
	if (unit == UNIT_BYTES) {
		for (; n && n % 1024 == 0 && (unit == UNIT_BYTES || unit < UNIT_EI); n /= 1024)
			unit = unit == UNIT_BYTES ? UNIT_KI : unit + 1;
	} else if (binary) {
		for (; n && n % 1024 == 0 && unit < UNIT_EI; n /= 1024)
			unit++;
	} else {
		while (decimal[i] != unit)
			i++;
		for (; n && n % 1000 == 0 && i < 9; n /= 1000)
			i++;
		unit = decimal[i];
	}
	if (!n)
		unit = UNIT_ONE;
	cwi_add_int(t, n);
	cwi_add_string(t, quantity_units[unit].suffix);
}

#endif
