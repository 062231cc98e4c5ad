//! Enums that differ between versions, and defaults.

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const Error = Value.Error;
const Path = Value.Path;

/// The strings of two versions that correspond: pairs of the string to translate and its translation.
pub const Enum = []const [2][]const u8;

/// Replaces the string at path, the left side of a pair, by its right side, and reports whether there is such a pair. A string without
/// one stays unchanged: the schema decides which strings are valid, and nothing is lost.
pub fn translate(v: Value, path: Path, pairs: Enum) Error!bool {
    return exchange(v, pairs, 0, path);
}

/// Replaces the string at path, the right side of a pair, by its left side. Of pairs with the same right side, the first one counts.
pub fn translateBack(v: Value, path: Path, pairs: Enum) Error!bool {
    return exchange(v, pairs, 1, path);
}

fn exchange(v: Value, pairs: Enum, side: u1, path: Path) Error!bool {
    const text = try v.string(path) orelse return false;
    for (pairs) |pair| {
        if (!std.mem.eql(u8, pair[side], text)) continue;
        const other = pair[1 - side];
        if (!std.mem.eql(u8, other, text)) try v.set(path, other);
        return true;
    }
    return false;
}

/// Sets the value at path if it is absent or null. Does nothing in a fragment (see isFragment), or if the parent object is absent: a
/// default of spec.size does not create spec. Reports whether it set the value.
pub fn setDefault(v: Value, path: Path, new: anytype) Error!bool {
    if (path.len == 0 or try v.isFragment() or try v.get(path) != null) return false;
    const parent = try v.get(path[0 .. path.len - 1]) orelse return false;
    if (parent.typeOf() != .object) return false;
    try v.set(path, new);
    return true;
}
