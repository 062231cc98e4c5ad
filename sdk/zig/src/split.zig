//! One string of several, and several of one.

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const text_of = @import("text.zig");
const Error = Value.Error;
const Path = Value.Path;

/// Takes the string at path from apart at every separator and puts the parts at the paths to, of which there must be as many as
/// parts: a host and a port of "host:port". The string is removed. Says whether it was there; nothing is done where it is
/// absent. Another number of parts refuses the object, and so does a value that is at one of the paths already.
pub fn split(v: Value, separator: []const u8, from: Path, to: []const Path) Error!bool {
    const text = try v.string(from) orelse return false;
    const parts = try cut(v, text, separator);
    if (parts.len != to.len) return v.d.fail("{s} must have {d} parts separated by {s}, but {s} has {d}", .{
        try v.location(from), to.len, try v.quoted(separator), try v.quoted(text), parts.len,
    });
    try v.delete(from);
    for (parts, to) |part, path| {
        try vacant(v, path, from, "split");
        try v.set(path, part);
    }
    return true;
}

/// The opposite of split: puts the strings at the paths from together, with the separator between them, and the result at path
/// to; the parts are removed. If any of them is absent, nothing is done and false returned, as in a fragment: what to do about
/// some of the parts is the converter's to say (stash keeps them). A part that contains the separator refuses the object, as
/// split would not give it back, and so does a value that is at path to already.
pub fn join(v: Value, separator: []const u8, to: Path, from: []const Path) Error!bool {
    var parts: std.ArrayList([]const u8) = .empty;
    for (from) |path| {
        const part = try v.string(path) orelse continue;
        try whole(v, part, separator, path);
        try parts.append(v.allocator(), part);
    }
    if (from.len == 0 or parts.items.len < from.len) return false;
    for (from) |path| try v.delete(path);
    const joined = try std.mem.join(v.allocator(), separator, parts.items);
    try vacant(v, to, from[0], "joined");
    try reversible(v, joined, separator, parts.items, from[0]);
    try v.set(to, joined);
    return true;
}

/// Makes a list of strings of the string at path, cut at every separator; of the empty string, an empty list. Says whether the
/// string was there.
pub fn splitList(v: Value, separator: []const u8, path: Path) Error!bool {
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

/// Makes one string of the list of strings at path, with the separator between them. Says whether the list was there. An
/// element that contains the separator refuses the object, and so does a list of one empty string, as an empty list joins to
/// the same.
pub fn joinList(v: Value, separator: []const u8, path: Path) Error!bool {
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
    if (parts.items.len > 0) try reversible(v, joined, separator, parts.items, path);
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
fn reversible(v: Value, joined: []const u8, separator: []const u8, parts: []const []const u8, path: Path) Error!void {
    if (separator.len == 0) return;
    const again = try cut(v, joined, separator);
    const same = again.len == parts.len and for (again, parts) |a, b| {
        if (!std.mem.eql(u8, a, b)) break false;
    } else true;
    if (!same) return v.d.fail("{s} cannot be joined with {s}: {s} would be taken apart otherwise", .{
        try v.location(path), try v.quoted(separator), try v.quoted(joined),
    });
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
