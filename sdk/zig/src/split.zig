//! One string of several, and several of one.

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const text_of = @import("text.zig");
const Error = Value.Error;
const Path = Value.Path;

/// Cuts the string at path from at every separator, removes it, and sets the paths to to the parts: "host:port" to a host and a port.
/// Reports whether the string was present; does nothing if it is absent. The object is refused if the number of parts differs from
/// the number of paths, or if one of the paths already has a value.
pub fn split(v: Value, from: Path, separator: []const u8, to: []const Path) Error!bool {
    return splitAt(v, from, separator, to, .every);
}

/// Cuts the string at path from at the last separators only, so that the first part may contain separators: "registry:5000/shop:1.2" at
/// ":" to "registry:5000/shop" and "1.2". Otherwise it is like split. The object is refused if there are fewer parts than paths.
pub fn splitLast(v: Value, from: Path, separator: []const u8, to: []const Path) Error!bool {
    return splitAt(v, from, separator, to, .last);
}

/// The separators at which a string is cut.
const Cuts = enum { every, last };

fn splitAt(v: Value, from: Path, separator: []const u8, to: []const Path, cuts: Cuts) Error!bool {
    const text = try v.string(from) orelse return false;
    const parts = try partsOf(v, text, separator, to.len, cuts);
    if (parts.len != to.len) return v.d.fail("{s} must have {d} parts separated by {s}, but {s} has {d}", .{
        try v.location(from), to.len, try v.quoted(separator), try v.quoted(text), parts.len,
    });
    try v.remove(from);
    for (parts, to) |part, path| {
        try vacant(v, path, from, "split");
        try v.set(path, part);
    }
    return true;
}

/// The inverse of split: joins the strings at the paths from with the separator between them, sets path to to the result, and removes
/// the parts. If a part is absent, as in a fragment, join does nothing and returns false; the converter decides about the remaining
/// parts (stash keeps them). The object is refused if a part contains the separator, because split would not restore it, or if path
/// to already has a value.
pub fn join(v: Value, to: Path, separator: []const u8, from: []const Path) Error!bool {
    return joinAt(v, to, separator, from, .every);
}

/// The inverse of splitLast: like join, but the first part may contain the separator.
pub fn joinLast(v: Value, to: Path, separator: []const u8, from: []const Path) Error!bool {
    return joinAt(v, to, separator, from, .last);
}

fn joinAt(v: Value, to: Path, separator: []const u8, from: []const Path, cuts: Cuts) Error!bool {
    var parts: std.ArrayList([]const u8) = .empty;
    for (from, 0..) |path, i| {
        const part = try v.string(path) orelse continue;
        if (cuts == .every or i > 0) try whole(v, part, separator, path);
        try parts.append(v.allocator(), part);
    }
    if (from.len == 0 or parts.items.len < from.len) return false;
    for (from) |path| try v.remove(path);
    const joined = try std.mem.join(v.allocator(), separator, parts.items);
    try vacant(v, to, from[0], "joined");
    try reversible(v, joined, separator, parts.items, from[0], cuts);
    try v.set(to, joined);
    return true;
}

/// Cuts the string at path at every separator and replaces it by the list of its parts; the empty string becomes an empty list.
/// Reports whether the string was present.
pub fn splitList(v: Value, path: Path, separator: []const u8) Error!bool {
    const text = try v.string(path) orelse return false;
    const gpa = v.allocator();
    var list: std.ArrayList(u8) = .empty;
    try list.append(gpa, '[');
    if (text.len > 0) for (try cut(v, text, separator), 0..) |part, i| {
        if (i > 0) try list.append(gpa, ',');
        try text_of.quote(&list, gpa, part);
    };
    try list.append(gpa, ']');
    try v.set(path, edit.Known{ .text = list.items });
    return true;
}

/// Replaces the list of strings at path by one string, with the separator between the elements. Reports whether the list was present.
/// The object is refused if an element contains the separator, or if the list is one empty string, which would join to the same
/// string as an empty list.
pub fn joinList(v: Value, path: Path, separator: []const u8) Error!bool {
    var parts: std.ArrayList([]const u8) = .empty;
    var elements = try v.elements(path);
    const list = elements.container orelse return false;
    while (try elements.next()) |element| {
        const part = try element.string(&.{}) orelse return element.wrong("a string");
        try whole(element, part, separator, &.{});
        try parts.append(v.allocator(), part);
    }
    if (parts.items.len == 1 and parts.items[0].len == 0) {
        return v.d.fail("{s} must not be a list of one empty string", .{try list.location(&.{})});
    }
    const joined = try std.mem.join(v.allocator(), separator, parts.items);
    if (parts.items.len > 0) try reversible(v, joined, separator, parts.items, path, .every);
    try v.set(path, joined);
    return true;
}

/// Refuses the object if a part contains the separator.
fn whole(v: Value, part: []const u8, separator: []const u8, path: Path) Error!void {
    if ((try cut(v, part, separator)).len > 1) return v.d.fail("{s} must not contain {s}, but is {s}", .{
        try v.location(path), try v.quoted(separator), try v.quoted(part),
    });
}

/// Refuses the object if something but null is at path: it would be lost.
fn vacant(v: Value, path: Path, from: Path, verb: []const u8) Error!void {
    if (try v.get(path) != null) return v.d.fail("{s} cannot be {s}: {s} is there already", .{
        try v.location(from), verb, try v.location(path),
    });
}

/// Refuses the object if joined text, when it is cut again, does not give the parts: parts like "a:" with "::" between them.
fn reversible(v: Value, joined: []const u8, separator: []const u8, parts: []const []const u8, path: Path, cuts: Cuts) Error!void {
    if (separator.len == 0) return;
    const again = try partsOf(v, joined, separator, parts.len, cuts);
    const same = again.len == parts.len and for (again, parts) |a, b| {
        if (!std.mem.eql(u8, a, b)) break false;
    } else true;
    if (!same) return v.d.fail("{s} cannot be joined with {s}: {s} would be taken apart otherwise", .{
        try v.location(path), try v.quoted(separator), try v.quoted(joined),
    });
}

/// Cuts text at every separator, or at the last ones only, so that there are at most count parts.
fn partsOf(v: Value, text: []const u8, separator: []const u8, count: usize, cuts: Cuts) Error![]const []const u8 {
    const parts = try cut(v, text, separator);
    if (cuts == .every or count == 0 or parts.len <= count) return parts;
    const more = parts.len - count;
    var end = more * separator.len;
    for (parts[0 .. more + 1]) |part| end += part.len;
    const few = try v.allocator().dupe([]const u8, parts[more..]);
    few[0] = text[0..end];
    return few;
}

/// Cuts text at every separator; an empty one cuts nothing.
fn cut(v: Value, text: []const u8, separator: []const u8) Error![]const []const u8 {
    var parts: std.ArrayList([]const u8) = .empty;
    var rest = text;
    while (separator.len > 0) {
        const at = std.mem.find(u8, rest, separator) orelse break;
        try parts.append(v.allocator(), rest[0..at]);
        rest = rest[at + separator.len ..];
    }
    try parts.append(v.allocator(), rest);
    return parts.items;
}
