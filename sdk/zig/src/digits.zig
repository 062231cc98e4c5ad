//! Integers as strings.

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const Error = Value.Error;
const Path = Value.Path;

/// Replaces the string at path by the integer that it has in decimal digits, such as "80" by 80. Reports whether the string was present.
/// The object is refused if the string is not an integer as JSON has it ("080", "+1" and "-0" are not, because stringFromInt would not
/// restore them). Integers of any size keep their digits.
pub fn intFromString(v: Value, path: Path) Error!bool {
    const text = try v.string(path) orelse return false;
    if (!integer(text)) return v.d.fail("{s} must be an integer, but is {s}", .{ try v.location(path), try v.quoted(text) });
    try v.set(path, edit.Raw{ .text = text });
    return true;
}

/// The inverse of intFromString: replaces the integer at path by a string. The object is refused if the value is not a number, or has a
/// fraction or an exponent.
pub fn stringFromInt(v: Value, path: Path) Error!bool {
    const text = try v.raw(path) orelse "";
    if (integer(text)) {
        try v.set(path, text);
        return true;
    }
    if (text.len > 0 and (text[0] == '-' or std.ascii.isDigit(text[0])))
        return v.d.fail("{s} must be an integer, but is {s}", .{ try v.location(path), text });
    _ = try v.int(path); // absent, null, or of another type
    return false;
}

/// Reports whether text is an integer in its only spelling.
fn integer(text: []const u8) bool {
    const digits = if (text.len > 1 and text[0] == '-' and text[1] != '0') text[1..] else text;
    if (digits.len == 0 or digits[0] == '0' and digits.len > 1) return false;
    for (digits) |c| if (!std.ascii.isDigit(c)) return false;
    return true;
}
