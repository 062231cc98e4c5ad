//! Words that have other names in the other version, and values for what is absent.

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const Error = Value.Error;
const Path = Value.Path;

/// Which strings of two versions correspond: pairs of the older and the newer version's, or whichever way the converter has it.
pub const Enum = []const [2][]const u8;

/// Replaces the string at path, one of the left side of a pair, by its right side, and says whether there is such a pair. A
/// string without one stays as it is: it is the schema that says what is allowed, and nothing is lost by it.
pub fn translate(v: Value, pairs: Enum, path: Path) Error!bool {
    return exchange(v, pairs, 0, path);
}

/// Replaces the string at path, one of the right side of a pair, by its left side. Of pairs that say the same on the right, the
/// first one counts.
pub fn translateBack(v: Value, pairs: Enum, path: Path) Error!bool {
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

/// Puts a value at path if nothing, or null, is there; not in a fragment (see isFragment), and not where the object that would
/// have it is absent: a default of spec.size makes no spec. Says whether it did.
pub fn setDefault(v: Value, path: Path, new: anytype) Error!bool {
    if (path.len == 0 or try v.isFragment() or try v.get(path) != null) return false;
    const parent = try v.get(path[0 .. path.len - 1]) orelse return false;
    if (parent.typeOf() != .object) return false;
    try v.set(path, new);
    return true;
}
