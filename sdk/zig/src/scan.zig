//! Finds the ends of JSON values without looking into them, 64 bytes at a time.
//!
//! The text is trusted to be valid JSON. On anything else the answers are null or wrong, never beyond the text.

const std = @import("std");

/// Returns the position of the first byte at or after start that is no white space.
pub inline fn skipSpace(text: []const u8, start: usize) usize {
    var at = start;
    while (at < text.len and text[at] <= ' ') at += 1;
    return at;
}

pub const StringEnd = struct { end: usize, escaped: bool };

/// Returns the end of the string whose first character is at start, behind its quote, and whether it has escapes.
pub fn stringEnd(text: []const u8, start: usize) ?StringEnd {
    var at = start;
    var escaped = false;
    while (at < text.len) {
        if (text.len - at >= 16) {
            const found = matches(text[at..][0..16], '"') | matches(text[at..][0..16], '\\');
            if (found == 0) {
                at += 16;
                continue;
            }
            at += @ctz(found);
        } else if (text[at] != '"' and text[at] != '\\') {
            at += 1;
            continue;
        }
        if (text[at] == '"') return .{ .end = at + 1, .escaped = escaped };
        escaped = true;
        at += 2;
    }
    return null;
}

/// Returns the end of the value that begins at start.
pub fn valueEnd(text: []const u8, start: usize) ?usize {
    if (start >= text.len) return null;
    switch (text[start]) {
        '"' => return (stringEnd(text, start + 1) orelse return null).end,
        '{', '[' => return containerEnd(text, start),
        else => {
            var at = start;
            while (at < text.len) : (at += 1) switch (text[at]) {
                ',', '}', ']', 0...' ' => break,
                else => {},
            };
            return if (at > start) at else null;
        },
    }
}

/// One bit for each byte that is c.
inline fn matches(bytes: *const [16]u8, c: u8) u16 {
    const vector: @Vector(16, u8) = bytes.*;
    return @bitCast(vector == @as(@Vector(16, u8), @splat(c)));
}

/// What 64 bytes of JSON have: one bit for each byte.
const Marks = struct {
    quotes: u64 = 0,
    slashes: u64 = 0,
    opens: u64 = 0,
    closes: u64 = 0,

    inline fn of(block: *const [64]u8) Marks {
        var m: Marks = .{};
        inline for (.{ 0, 16, 32, 48 }) |i| {
            const part = block[i..][0..16];
            const vector: @Vector(16, u8) = part.*;
            const folded: [16]u8 = vector | @as(@Vector(16, u8), @splat(0x20)); // '[' becomes '{', ']' becomes '}'
            m.quotes |= @as(u64, matches(part, '"')) << i;
            m.slashes |= @as(u64, matches(part, '\\')) << i;
            m.opens |= @as(u64, matches(&folded, '{')) << i;
            m.closes |= @as(u64, matches(&folded, '}')) << i;
        }
        return m;
    }
};

/// What is known at the boundary between two blocks of 64 bytes.
const State = struct {
    inside: u64 = 0, // all ones within a string
    escape: u64 = 0, // 1 if the next byte is escaped
    depth: u32 = 0,

    /// Goes on by a block. Returns the position in it behind the bracket that closes the outermost container.
    inline fn step(state: *State, marks: Marks) ?usize {
        var escaped = state.escape;
        state.escape = 0;
        var slashes = marks.slashes & ~escaped;
        while (slashes != 0) {
            const bit = slashes & (0 -% slashes);
            escaped |= bit << 1;
            state.escape |= bit >> 63;
            slashes &= ~(bit | bit << 1); // an escaped backslash escapes nothing
        }
        // A byte is inside a string if the number of quotes up to it, and before this block, is odd.
        var q = marks.quotes & ~escaped;
        inline for (.{ 1, 2, 4, 8, 16, 32 }) |shift| q ^= q << shift;
        q ^= state.inside;
        state.inside = 0 -% (q >> 63);
        const opens = marks.opens & ~q;
        const closes = marks.closes & ~q;
        const closing: u32 = @popCount(closes);
        if (closing < state.depth) {
            state.depth = state.depth + @popCount(opens) - closing;
            return null;
        }
        var brackets = opens | closes;
        while (brackets != 0) : (brackets &= brackets - 1) {
            if (opens & brackets & (0 -% brackets) != 0) {
                state.depth += 1;
                continue;
            }
            state.depth -%= 1;
            if (state.depth == 0) return @as(usize, @ctz(brackets)) + 1;
        }
        return null;
    }
};

/// Returns the end of the object or array that begins at start.
fn containerEnd(text: []const u8, start: usize) ?usize {
    var state: State = .{};
    var at = start;
    while (text.len - at >= 64) : (at += 64) {
        if (state.step(.of(text[at..][0..64]))) |end| return at + end;
    }
    var last: [64]u8 = @splat(0);
    @memcpy(last[0 .. text.len - at], text[at..]);
    return at + (state.step(.of(&last)) orelse return null);
}

test "ends" {
    for ([_]struct { []const u8, ?usize }{
        .{ "\"a\" , ", 3 },
        .{ "\"a\\\"b\\\\\",", 8 },
        .{ "\"a", null },
        .{ "{\"a\":[1,\"}]\"]} ", 14 },
        .{ "[[],[[]]],", 9 },
        .{ "{", null },
        .{ "12.5e3,", 6 },
        .{ "null", 4 },
        .{ "", null },
        .{ ",", null },
    }) |case| try std.testing.expectEqual(case[1], valueEnd(case[0], 0));
}

test "escapes, quotes and brackets at every place of the blocks" {
    var buffer: [1024]u8 = undefined;
    for (0..140) |n| {
        for ([_][]const u8{ "\\\\\"}", "\\\"}\"}", "\\\\\\\"{[\"}", "]}\"}" }) |tail| {
            var list: std.ArrayList(u8) = .initBuffer(&buffer);
            list.appendSliceAssumeCapacity("{\"");
            list.appendNTimesAssumeCapacity('x', n);
            list.appendSliceAssumeCapacity(tail);
            for (0..n % 7) |_| list.appendSliceAssumeCapacity("]}");
            try std.testing.expectEqual(2 + n + tail.len, valueEnd(list.items, 0));
        }
    }
}
