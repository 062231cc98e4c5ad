// Text, and values that may be absent: what crosswalk.hpp needs of a standard library, as a module need not have one.
#ifndef CROSSWALK_TEXT_HPP
#define CROSSWALK_TEXT_HPP

#include "crosswalk.h"

#if __STDC_HOSTED__ && __has_include(<string_view>)
#include <string_view>
#define CROSSWALK_STRING_VIEW 1
#endif

namespace crosswalk {

// Text in UTF-8 that belongs to somebody else, as std::string_view, which it converts to and from where there is one.
class text {
public:
	static constexpr uint32_t npos = UINT32_MAX;

	constexpr text() = default;
	constexpr text(const char *s) : at_(s), size_(length(s)) {}
	constexpr text(const char *s, uint32_t size) : at_(s), size_(size) {}
	constexpr text(cw_str s) : at_(s.at), size_(s.len) {}
	constexpr operator cw_str() const { return {at_, size_}; }
#ifdef CROSSWALK_STRING_VIEW
	constexpr text(std::string_view s) : at_(s.data()), size_(uint32_t(s.size())) {}
	constexpr operator std::string_view() const { return {at_, size_}; }
#endif

	constexpr const char *data() const { return at_; }
	constexpr uint32_t size() const { return size_; }
	constexpr bool empty() const { return size_ == 0; }
	constexpr char operator[](uint32_t i) const { return at_[i]; }
	constexpr const char *begin() const { return at_; }
	constexpr const char *end() const { return at_ + size_; }

	// The part that begins at an index, as far as there is one.
	constexpr text substr(uint32_t from, uint32_t size = npos) const
	{
		from = from < size_ ? from : size_;
		return {at_ + from, size < size_ - from ? size : size_ - from};
	}

	// The index of the first occurrence, or npos.
	constexpr uint32_t find(text what) const
	{
		for (uint32_t i = 0; i + what.size_ <= size_; i++)
			if (text(at_ + i, what.size_).is(what))
				return i;
		return npos;
	}

	// The index of the first of these characters, or npos.
	constexpr uint32_t find_first_of(text characters) const
	{
		for (uint32_t i = 0; i < size_; i++)
			for (char c : characters)
				if (at_[i] == c)
					return i;
		return npos;
	}

	constexpr bool starts_with(text what) const { return substr(0, what.size_).is(what); }

	friend constexpr bool operator==(text a, text b) { return a.is(b); }
	friend constexpr bool operator!=(text a, text b) { return !a.is(b); }
	friend constexpr bool operator==(text a, const char *b) { return a.is(b); }
	friend constexpr bool operator!=(text a, const char *b) { return !a.is(b); }

private:
	const char *at_ = "";
	uint32_t size_ = 0;

	static constexpr uint32_t length(const char *s)
	{
		uint32_t n = 0;
		while (s[n])
			n++;
		return n;
	}

	constexpr bool is(text other) const
	{
		for (uint32_t i = 0; i < size_ && i < other.size_; i++)
			if (at_[i] != other.at_[i])
				return false;
		return size_ == other.size_;
	}
};

// A value that is there or not, as std::optional.
template <class T> class maybe {
public:
	constexpr maybe() = default;
	constexpr maybe(T value) : value_(value), there_(true) {}

	constexpr explicit operator bool() const { return there_; }
	constexpr bool has_value() const { return there_; }
	constexpr const T &operator*() const { return value_; } // only if there is one
	constexpr const T *operator->() const { return &value_; }
	constexpr T value_or(T other) const { return there_ ? value_ : other; }

private:
	T value_{};
	bool there_ = false;
};

} // namespace crosswalk

#endif
