// crosswalk.hpp - converter modules for the Crosswalk gateway, in C++ (C++17 and later), over the SDK for C.
//
// A module converts the objects of one kind of custom resource from one API version to another. One file of it says
//
//	#define CROSSWALK_IMPLEMENTATION
//	#include "crosswalk.hpp"
//
//	static void v1_to_v2(crosswalk::object o) { o.rename({"spec", "replicas"}, "size"); }
//
//	static const crosswalk::conversion conversions[] = {
//		{"stable.example.com/v1", "stable.example.com/v2", crosswalk::convert<v1_to_v2>},
//	};
//	CW_MODULE(conversions, "name", "1.0.0", "Apache-2.0")
//
// There are no exceptions. The SDK records the first error, such as a value of the wrong type, a
// key that is already taken, or a call of refuse(), and refuses the object with it when the
// converter returns. Most code therefore needs no checks. The result of a refused object is
// discarded.
//
// Absent and wrong. Server-side apply converts fragments of objects, so a value that is absent in
// the input should be absent in the output. A member that is missing or null is absent: readers
// return nothing, and removing, renaming and moving do nothing. A value of another type is wrong
// and refuses the object.
//
// Values and text are valid until the conversion returns. There are no threads. The C SDK's functions may be used as well: handle() is the
// value for them.
#ifndef CROSSWALK_HPP
#define CROSSWALK_HPP

#ifndef CW_SDK
#define CW_SDK "\"language\":\"cpp\",\"sdk\":\"crosswalk-cpp/1.0.0\""
#endif
#include "crosswalk.h"
#include "crosswalk_helpers.h"
#include "crosswalk_stash.h"
#include "text.hpp"

namespace crosswalk {

enum class type { absent, null, boolean, number, string, array, object };
enum class level { debug, info, warn, error };

using conversion = cw_conversion; // {from, to, convert<function>}
using field = cw_field;           // {version, path}, for CW_MODULE_FIELDS
using pair = cw_pair;             // {here, there}, for translate

// JSON as it is, for set and append; checked.
struct raw {
	text value;
};

// The way from a value to another: {"spec", "template", "name"}. {} is the value itself, and "name" the same as {"name"}.
class path {
public:
	constexpr path() = default;
	template <class... Keys> constexpr path(const char *first, Keys... rest) : keys_{first, rest...}, size_(1 + sizeof...(rest))
	{
		static_assert(sizeof...(rest) < most, "a path has up to 15 keys; begin a longer one at get(path)");
	}

	constexpr uint32_t size() const { return size_; }
	constexpr const char *operator[](uint32_t i) const { return keys_[i]; }
	constexpr const char *last() const { return size_ ? keys_[size_ - 1] : nullptr; }

private:
	static constexpr uint32_t most = 15;
	const char *keys_[most] = {};
	uint32_t size_ = 0;
};

class children;

// One JSON value of the object, and the object as a whole. A handle: copies are the same value.
class value {
public:
	value(cw_value *v, cw_object *o) : v_(v), o_(o) {}
	cw_value *handle() const { return v_; } // NULL if it is absent

	// ---- reading: nothing if it is absent or wrong

	explicit operator bool() const { return cw_get(v_, nullptr) != nullptr; } // it is there, and not null
	value get(const path &p = {}) const;                     // never wrong
	value operator[](const char *key) const { return get(key); }
	crosswalk::type type(const path &p = {}) const; // null is told from absent
	maybe<text> string(const path &p = {}) const;   // unescaped
	maybe<int64_t> integer(const path &p = {}) const; // a fraction, an exponent, more than 64 bits are wrong
	maybe<bool> boolean(const path &p = {}) const;
	maybe<text> raw(const path &p = {}) const; // the JSON text, null included; never wrong
	text key() const;                          // of a member

	// The members of an object and the elements of an array, for a loop; the one at hand may be edited, renamed and removed.
	children members(const path &p = {}) const;
	children elements(const path &p = {}) const;

	// ---- editing: objects on the way are made; what is replaced keeps its place, what is new becomes the last member

	void set(const path &p, text s) const;
	void set(const path &p, const char *s) const { set(p, text(s)); }
	void set(const path &p, bool b) const;
	void set(const path &p, long long i) const;
	void set(const path &p, long i) const { set(p, (long long)i); }
	void set(const path &p, int i) const { set(p, (long long)i); }
	void set(const path &p, unsigned i) const { set(p, (long long)i); }
	void set(const path &p, crosswalk::raw j) const;
	void set(const path &p, const value &copied) const;
	void append(const path &p, text s) const; // to the array there, made if it is absent or null
	void append(const path &p, crosswalk::raw j) const;

	// These say whether there was something.
	bool remove(const path &p = {}) const;
	bool remove_if_empty(const path &p) const; // an object without members, such as one that move leaves
	bool rename(const path &p, const char *new_key) const;      // a key that is taken is wrong
	bool move(const path &from, const path &to) const;          // likewise; within this value

	// Metadata, of which changes to labels and annotations alone reach the API server. Removing the last one removes the map.
	maybe<text> label(const char *name) const;
	void set_label(const char *name, text s) const { cw_set_label(o_, name, s); }
	bool remove_label(const char *name) const { return cw_remove_label(o_, name) > 0; }
	maybe<text> annotation(const char *name) const;
	void set_annotation(const char *name, text s) const { cw_set_annotation(o_, name, s); }
	bool remove_annotation(const char *name) const { return cw_remove_annotation(o_, name) > 0; }

	// ---- refusing

	// Refuses the object, unless it is already: the parts, texts and integers, make up what the person at kubectl reads.
	template <class... Parts> void refuse(const Parts &...parts) const
	{
		text why = concat(parts...);
		if (!refused())
			cw_refuse(o_, "%.*s", CW_ARG(cw_str(why)));
	}
	bool refused() const { return cw_refused(o_) != 0; }

	text location(const path &p = {}) const; // ".spec.list[0].name"
	text quoted(text s) const { return cw_quoted(o_, s); }

	// The parts as one text, followed by a NUL, that lives as long as the object.
	template <class... Parts> text concat(const Parts &...parts) const
	{
		text all;
		((all = cw_format(o_, "%.*s%.*s", CW_ARG(cw_str(all)), CW_ARG(cw_str(part(parts))))), ...);
		return all;
	}

	// A value of its own, from JSON in an annotation; what is no JSON is wrong.
	value parse(text s) const { return {cw_parse(o_, s), o_}; }

	// ---- helpers: sdk/README.md has their table. They say whether something was done.

	// Takes the string apart at every separator. The parts become members beside it: o.split({"spec", "image"}, ":", {"name", "tag"}).
	template <size_t N> bool split(const path &p, const char *separator, const char *const (&to)[N]) const
	{
		return cw_split(parent(p), p.last(), separator, to, uint32_t(N)) > 0;
	}
	// The opposite. If a part is absent, nothing is done.
	template <size_t N> bool join(const path &p, const char *separator, const char *const (&from)[N]) const
	{
		return cw_join(parent(p), p.last(), separator, from, uint32_t(N)) > 0;
	}
	// The same with the last separators only: the first part may contain separators.
	template <size_t N> bool split_last(const path &p, const char *separator, const char *const (&to)[N]) const
	{
		return cw_split_last(parent(p), p.last(), separator, to, uint32_t(N)) > 0;
	}
	template <size_t N> bool join_last(const path &p, const char *separator, const char *const (&from)[N]) const
	{
		return cw_join_last(parent(p), p.last(), separator, from, uint32_t(N)) > 0;
	}
	// "80" becomes 80, and back; another spelling of an integer refuses the object.
	bool int_from_string(const path &p) const { return cw_int_from_string(parent(p), p.last()) > 0; }
	bool string_from_int(const path &p) const { return cw_string_from_int(parent(p), p.last()) > 0; }
	bool split_list(const path &p, const char *separator) const { return cw_split_list(parent(p), p.last(), separator) > 0; }
	bool join_list(const path &p, const char *separator) const { return cw_join_list(parent(p), p.last(), separator) > 0; }
	bool list_from_map(const path &p, const char *name, const char *value_name = nullptr) const
	{
		return cw_list_from_map(parent(p), p.last(), name, value_name) > 0;
	}
	bool map_from_list(const path &p, const char *name, const char *value_name = nullptr) const
	{
		return cw_map_from_list(parent(p), p.last(), name, value_name) > 0;
	}
	template <size_t N> bool translate(const path &p, const pair (&pairs)[N]) const
	{
		return cw_translate(parent(p), p.last(), pairs, uint32_t(N)) > 0;
	}
	template <size_t N> bool translate_back(const path &p, const pair (&pairs)[N]) const
	{
		return cw_translate_back(parent(p), p.last(), pairs, uint32_t(N)) > 0;
	}
	// Sets what is absent; not in a fragment, and not where the object around it is absent.
	template <class T> bool set_default(const path &p, const T &x) const
	{
		if (is_fragment() || get(p) || get_parent(p).type() != crosswalk::type::object)
			return false;
		set(p, x);
		return true;
	}
	bool is_fragment() const { return cw_is_fragment(o_) != 0; }

	// ---- stash: docs/spec/stash.md, and crosswalk_stash.h for each function

	bool stash(const path &p) const { return cw_stash(parent(p), p.last()) > 0; }
	// For a value that belongs to what is at JSON Pointers of the other version: user.stash_for("roles", "/spec/users"). Without any it is
	// put back whatever else was changed.
	template <class... Pointers> bool stash_for(const path &p, Pointers... pointers) const
	{
		const char *const all[] = {pointers..., nullptr};
		return cw_stash_for(parent(p), p.last(), all, uint32_t(sizeof...(pointers))) > 0;
	}
	void restore() const { cw_restore(o_); }

private:
	cw_value *v_;
	cw_object *o_;

	cw_value *parent(const path &p) const;
	value get_parent(const path &p) const;
	cw_value *made(const path &p) const;

	static text part(text s) { return s; }
	text part(long long i) const;
	text part(int i) const { return part((long long)i); }
	text part(unsigned i) const { return part((long long)i); }
	text part(long i) const { return part((long long)i); }
	text part(unsigned long i) const { return part((long long)i); }
};

using object = value;

// What a loop goes through.
class children {
public:
	class iterator {
	public:
		iterator(cw_value *v, cw_object *o) : v_(v), o_(o) {}
		value operator*() const { return {v_, o_}; }
		iterator &operator++()
		{
			v_ = cw_next(v_);
			return *this;
		}
		bool operator!=(const iterator &other) const { return v_ != other.v_; }

	private:
		cw_value *v_;
		cw_object *o_;
	};

	children(cw_value *v, cw_object *o) : v_(v), o_(o) {}
	iterator begin() const { return {v_ ? cw_first(v_) : nullptr, o_}; }
	iterator end() const { return {nullptr, o_}; }
	explicit operator bool() const { return v_ != nullptr; } // the object or array is there
	bool empty() const { return !v_ || !cw_first(v_); }

private:
	cw_value *v_;
	cw_object *o_;
};

// A line in the gateway's log; the user does not see it. Text of one's own is made by object.concat.
inline void log(level l, text s) { cw_log(int(l), s); }

// Makes what a table of conversions needs of a function.
template <void (*Function)(object)> int convert(cw_object *o)
{
	Function(object(o, o));
	return cw_refused(o) ? -1 : 0;
}

// The same, and keeps by itself what the other version cannot hold: what comes out different when Back converts it back. See cw_lossless.
//
//	{"example.com/v1", "example.com/v1beta1", crosswalk::lossless<to_beta, to_v1>},
//	{"example.com/v1beta1", "example.com/v1", crosswalk::lossless<to_v1, to_beta>},
template <void (*Function)(object), void (*Back)(object)> int lossless(cw_object *o)
{
	return cw_lossless(o, convert<Function>, convert<Back>);
}

// ---- the rest of value

inline value value::get(const path &p) const
{
	cw_value *v = cw_get(v_, nullptr);
	for (uint32_t i = 0; i < p.size(); i++)
		v = cw_get(v, p[i]);
	return {v, o_};
}

// What has the last key of a path; what is wrong on the way refuses the object.
inline cw_value *value::parent(const path &p) const
{
	cw_value *v = v_;
	for (uint32_t i = 0; i + 1 < p.size(); i++)
		if (cw_map(v, p[i], &v) <= 0)
			return nullptr;
	return v;
}

inline value value::get_parent(const path &p) const
{
	cw_value *v = v_;
	for (uint32_t i = 0; i + 1 < p.size(); i++)
		v = cw_get(v, p[i]);
	return {v, o_};
}

inline cw_value *value::made(const path &p) const
{
	cw_value *v = v_;
	for (uint32_t i = 0; i + 1 < p.size(); i++)
		v = cw_make(v, p[i]);
	return v;
}

inline type value::type(const path &p) const
{
	cw_value *v = get_parent(p).v_;
	cw_str ignored;
	if (p.last() && cw_raw(v, p.last(), &ignored) && !cw_get(v, p.last()))
		return crosswalk::type::null;
	return crosswalk::type(cw_typeof(p.last() ? cw_get(v, p.last()) : v));
}

inline maybe<text> value::string(const path &p) const
{
	cw_str s;
	return cw_string(parent(p), p.last(), &s) > 0 ? maybe<text>(s) : maybe<text>();
}

inline maybe<int64_t> value::integer(const path &p) const
{
	int64_t i;
	return cw_int(parent(p), p.last(), &i) > 0 ? maybe<int64_t>(i) : maybe<int64_t>();
}

inline maybe<bool> value::boolean(const path &p) const
{
	int b;
	return cw_bool(parent(p), p.last(), &b) > 0 ? maybe<bool>(b != 0) : maybe<bool>();
}

inline maybe<text> value::raw(const path &p) const
{
	cw_str s;
	cw_value *v = get_parent(p).v_;
	return cw_raw(v, p.last(), &s) ? maybe<text>(s) : maybe<text>();
}

inline text value::key() const { return cw_key(v_); }

inline children value::members(const path &p) const
{
	cw_value *v;
	cw_map(parent(p), p.last(), &v);
	return {v, o_};
}

inline children value::elements(const path &p) const
{
	cw_value *v;
	cw_list(parent(p), p.last(), &v);
	return {v, o_};
}

inline void value::set(const path &p, text s) const { cw_set_str(made(p), p.last(), s); }
inline void value::set(const path &p, bool b) const { cw_set_bool(made(p), p.last(), b); }
inline void value::set(const path &p, long long i) const { cw_set_int(made(p), p.last(), i); }
inline void value::set(const path &p, crosswalk::raw j) const { cw_set_raw(made(p), p.last(), j.value); }
inline void value::append(const path &p, text s) const { cw_append_str(made(p), p.last(), s); }
inline void value::append(const path &p, crosswalk::raw j) const { cw_append_raw(made(p), p.last(), j.value); }

inline void value::set(const path &p, const value &copied) const
{
	if (maybe<text> j = copied.raw())
		set(p, crosswalk::raw{*j});
}

inline bool value::remove(const path &p) const { return cw_remove(parent(p), p.last()) > 0; }
inline bool value::remove_if_empty(const path &p) const { return cw_remove_if_empty(parent(p), p.last()) > 0; }
inline bool value::rename(const path &p, const char *new_key) const { return cw_rename(parent(p), p.last(), new_key) > 0; }

inline bool value::move(const path &from, const path &to) const
{
	cw_value *v = parent(from);
	cw_str ignored;
	return cw_raw(v, from.last(), &ignored) && cw_move(v, from.last(), made(to), to.last()) > 0;
}

inline maybe<text> value::label(const char *name) const
{
	cw_str s;
	return cw_label(o_, name, &s) > 0 ? maybe<text>(s) : maybe<text>();
}

inline maybe<text> value::annotation(const char *name) const
{
	cw_str s;
	return cw_annotation(o_, name, &s) > 0 ? maybe<text>(s) : maybe<text>();
}

inline text value::location(const path &p) const { return v_ || p.size() ? cw_location(get_parent(p).v_, p.last()) : cw_location(o_, nullptr); }

inline text value::part(long long i) const
{
	char digits[20];
	uint32_t at = sizeof digits;
	auto u = i < 0 ? 0 - (unsigned long long)i : (unsigned long long)i;
	do
		digits[--at] = char('0' + u % 10);
	while (u /= 10);
	return cw_format(o_, "%s%.*s", i < 0 ? "-" : "", int(sizeof digits - at), digits + at);
}

} // namespace crosswalk

#endif
