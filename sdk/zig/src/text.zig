//! JSON strings, from text and to text, and a check of JSON that comes from the converter's own code.

const std = @import("std");
const Allocator = std.mem.Allocator;
const List = std.ArrayList(u8);

/// Says that a and b have the same bytes. It compares words, the last of which overlap: most keys and versions are a few, for
/// which std.mem.eql takes longer than a search for them.
pub fn equal(a: []const u8, b: []const u8) bool {
    if (a.len != b.len) return false;
    if (a.len >= 8) {
        var i: usize = 0;
        while (i < a.len - 8) : (i += 8) if (wordAt(u64, a, i) != wordAt(u64, b, i)) return false;
        return wordAt(u64, a, a.len - 8) == wordAt(u64, b, b.len - 8);
    }
    if (a.len >= 4) return wordAt(u32, a, 0) == wordAt(u32, b, 0) and wordAt(u32, a, a.len - 4) == wordAt(u32, b, b.len - 4);
    for (a, b) |x, y| if (x != y) return false;
    return true;
}

inline fn wordAt(comptime T: type, text: []const u8, at: usize) T {
    return @bitCast(text[at..][0..@sizeOf(T)].*);
}

/// Says that text is ASCII that needs no escapes.
fn isPlain(text: []const u8) bool {
    var i: usize = 0;
    if (text.len >= 16) while (true) {
        const vector: @Vector(16, u8) = text[i..][0..16].*;
        const is = struct {
            inline fn is(v: @Vector(16, u8), c: u8) u16 {
                return @bitCast(v == @as(@Vector(16, u8), @splat(c)));
            }
        }.is;
        const signed: @Vector(16, i8) = @bitCast(vector); // bytes that are not ASCII are below zero
        const low: u16 = @bitCast(signed < @as(@Vector(16, i8), @splat(' ')));
        if (low | is(vector, '"') | is(vector, '\\') != 0) return false;
        if (i == text.len - 16) return true;
        i = @min(i + 16, text.len - 16); // the last overlaps the one before
    };
    for (text) |c| if (c < ' ' or c >= 0x80 or c == '"' or c == '\\') return false;
    return true;
}

/// Appends text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
pub fn quote(out: *List, gpa: Allocator, text: []const u8) Allocator.Error!void {
    try out.ensureUnusedCapacity(gpa, text.len + 2);
    out.appendAssumeCapacity('"');
    if (isPlain(text)) {
        out.appendSliceAssumeCapacity(text);
        return out.appendAssumeCapacity('"');
    }
    var plain: usize = 0;
    var i: usize = 0;
    while (i < text.len) {
        const c = text[i];
        if (c >= ' ' and c < 0x80 and c != '"' and c != '\\') {
            i += 1;
            continue;
        }
        const len = sequence(text[i..]);
        if (c >= 0x80 and len > 0) {
            i += len;
            continue;
        }
        try out.appendSlice(gpa, text[plain..i]);
        i += 1;
        plain = i;
        switch (c) {
            '"', '\\' => try out.appendSlice(gpa, &.{ '\\', c }),
            '\n' => try out.appendSlice(gpa, "\\n"),
            '\r' => try out.appendSlice(gpa, "\\r"),
            '\t' => try out.appendSlice(gpa, "\\t"),
            else => if (c < ' ') {
                const hex = "0123456789abcdef";
                try out.appendSlice(gpa, &.{ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] });
            } else {
                try out.appendSlice(gpa, "\u{fffd}");
            },
        }
    }
    try out.appendSlice(gpa, text[plain..]);
    try out.append(gpa, '"');
}

/// Returns the length of the UTF-8 sequence that text begins with, 0 if it is none.
fn sequence(text: []const u8) usize {
    const len = std.unicode.utf8ByteSequenceLength(text[0]) catch return 0;
    if (len > text.len or !std.unicode.utf8ValidateSlice(text[0..len])) return 0;
    return len;
}

/// Appends the text of a JSON string, given without its quotes. Surrogates without a partner become U+FFFD.
pub fn unquote(out: *List, gpa: Allocator, inner: []const u8) Allocator.Error!void {
    var rest = inner;
    while (std.mem.findScalar(u8, rest, '\\')) |at| {
        try out.appendSlice(gpa, rest[0..at]);
        rest = rest[at + 1 ..];
        if (rest.len == 0) return;
        const c = rest[0];
        rest = rest[1..];
        switch (c) {
            'b' => try out.append(gpa, 8),
            'f' => try out.append(gpa, 12),
            'n' => try out.append(gpa, '\n'),
            'r' => try out.append(gpa, '\r'),
            't' => try out.append(gpa, '\t'),
            'u' => {
                var code: u21 = hex4(rest);
                rest = rest[@min(4, rest.len)..];
                if (code >= 0xd800 and code < 0xdc00 and rest.len >= 6 and rest[0] == '\\' and rest[1] == 'u') {
                    const low: u21 = hex4(rest[2..]);
                    if (low >= 0xdc00 and low < 0xe000) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        rest = rest[6..];
                    }
                }
                var bytes: [4]u8 = undefined;
                const len = std.unicode.utf8Encode(code, &bytes) catch std.unicode.utf8Encode(0xfffd, &bytes) catch unreachable;
                try out.appendSlice(gpa, bytes[0..len]);
            },
            else => try out.append(gpa, c),
        }
    }
    try out.appendSlice(gpa, rest);
}

/// Returns the value of four hexadecimal digits, U+FFFD if they are not there.
fn hex4(text: []const u8) u16 {
    if (text.len < 4) return 0xfffd;
    var value: u16 = 0;
    for (text[0..4]) |c| value = value << 4 | (std.fmt.charToDigit(c, 16) catch return 0xfffd);
    return value;
}

/// The depth to which the gateway takes nested objects and arrays.
const max_depth = 1000;

/// Returns text without the white space around it if it is one JSON value, nested no deeper than the gateway takes.
pub fn validJson(text: []const u8) ?[]const u8 {
    const trimmed = std.mem.trim(u8, text, " \t\r\n");
    const end = valueEnd(trimmed, 0, max_depth) orelse return null;
    return if (end == trimmed.len) trimmed else null;
}

fn peek(text: []const u8, at: usize) u8 {
    return if (at < text.len) text[at] else 0;
}

fn skipBlank(text: []const u8, start: usize) usize {
    var at = start;
    while (std.mem.findScalar(u8, " \t\r\n", peek(text, at)) != null) at += 1;
    return at;
}

/// Returns the end of the value at start, checked strictly; null if there is none, or it has more than depth levels.
fn valueEnd(text: []const u8, start: usize, depth: usize) ?usize {
    switch (peek(text, start)) {
        '"' => return stringEnd(text, start),
        '{', '[' => |open| {
            const close = open + 2;
            if (depth == 0) return null;
            var at = skipBlank(text, start + 1);
            if (peek(text, at) == close) return at + 1;
            while (true) {
                if (open == '{') {
                    at = skipBlank(text, stringEnd(text, at) orelse return null);
                    if (peek(text, at) != ':') return null;
                    at = skipBlank(text, at + 1);
                }
                at = skipBlank(text, valueEnd(text, at, depth - 1) orelse return null);
                if (peek(text, at) == close) return at + 1;
                if (peek(text, at) != ',') return null;
                at = skipBlank(text, at + 1);
            }
        },
        else => {
            for ([_][]const u8{ "true", "false", "null" }) |word| {
                if (std.mem.startsWith(u8, text[@min(start, text.len)..], word)) return start + word.len;
            }
            return numberEnd(text, start);
        },
    }
}

fn numberEnd(text: []const u8, start: usize) ?usize {
    var at = start + @intFromBool(peek(text, start) == '-');
    at = if (peek(text, at) == '0') at + 1 else digits(text, at) orelse return null;
    if (peek(text, at) == '.') at = digits(text, at + 1) orelse return null;
    if (peek(text, at) | 0x20 == 'e') {
        at += 1;
        if (peek(text, at) == '+' or peek(text, at) == '-') at += 1;
        at = digits(text, at) orelse return null;
    }
    return at;
}

fn digits(text: []const u8, start: usize) ?usize {
    var at = start;
    while (std.ascii.isDigit(peek(text, at))) at += 1;
    return if (at > start) at else null;
}

fn stringEnd(text: []const u8, start: usize) ?usize {
    if (peek(text, start) != '"') return null;
    var at = start + 1;
    while (at < text.len) : (at += 1) switch (text[at]) {
        '"' => return at + 1,
        0...0x1f => return null,
        '\\' => {
            at += 1;
            switch (peek(text, at)) {
                '"', '\\', '/', 'b', 'f', 'n', 'r', 't' => {},
                'u' => {
                    for (1..5) |i| if (!std.ascii.isHex(peek(text, at + i))) return null;
                    at += 4;
                },
                else => return null,
            }
        },
        else => {},
    };
    return null;
}

test "quotes there and back" {
    const gpa = std.testing.allocator;
    var json: List = .empty;
    defer json.deinit(gpa);
    var back: List = .empty;
    defer back.deinit(gpa);
    for ([_][2][]const u8{
        .{ "", "\"\"" },
        .{ "plain é 😀 \x7f", "\"plain é 😀 \x7f\"" },
        .{ "a\"b\\c\n\r\t\x00\x1fd", "\"a\\\"b\\\\c\\n\\r\\t\\u0000\\u001fd\"" },
    }) |case| {
        json.clearRetainingCapacity();
        try quote(&json, gpa, case[0]);
        try std.testing.expectEqualStrings(case[1], json.items);
        back.clearRetainingCapacity();
        try unquote(&back, gpa, json.items[1 .. json.items.len - 1]);
        try std.testing.expectEqualStrings(case[0], back.items);
    }
}

test "escapes" {
    const gpa = std.testing.allocator;
    for ([_][2][]const u8{
        .{ "\\u00e9\\ud83d\\ude00\\/\\b\\f", "é😀/\x08\x0c" },
        .{ "\\ud83d", "\u{fffd}" },
        .{ "\\ud83dx", "\u{fffd}x" },
        .{ "\\ude00\\ud83d\\u0041", "\u{fffd}\u{fffd}A" },
        .{ "\\u00", "\u{fffd}" },
        .{ "\\", "" },
    }) |case| {
        var out: List = .empty;
        defer out.deinit(gpa);
        try unquote(&out, gpa, case[0]);
        try std.testing.expectEqualStrings(case[1], out.items);
    }
}

test "what is JSON" {
    for ([_][]const u8{ "0", "-1.5e+3", " {\"a\" : [1, {\"b\":\"]\"}], \"c\":null} ", "[]", "{}", "\"\\u00e9\\n\"", "true", "[[[]]]" }) |text| {
        try std.testing.expect(validJson(text) != null);
    }
    for ([_][]const u8{
        "",      " ",       "01",      "+1",          "1.",     "1e",    "-",  ".5", "tru", "nul", "'a'", "[1", "[1,]", "{\"a\":1,}",
        "{a:1}", "{\"a\"}", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "[] []", "[}",
    }) |text| try std.testing.expect(validJson(text) == null);
    var deep: [2002]u8 = undefined;
    @memset(deep[0..1001], '[');
    @memset(deep[1001..], ']');
    try std.testing.expect(validJson(deep[1..2001]) != null);
    try std.testing.expect(validJson(&deep) == null);
}
