//! Lists of objects by a key, and maps.

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const text_of = @import("text.zig");
const Error = Value.Error;
const List = std.ArrayList(u8);

/// Turns the map at path into a list in the same order: with the key "name", {"web":{"port":80}} becomes [{"name":"web","port":80}].
/// If value names a member, {"a":1} becomes [{"name":"a","value":1}]; if it is null, the map's values must be objects without a member
/// called key. Reports whether the map was present.
pub fn listFromMap(v: Value, path: Value.Path, key: []const u8, value: ?[]const u8) Error!bool {
    const gpa = v.allocator();
    var members = try v.members(path);
    if (members.container == null) return false;
    var out: List = .empty;
    try out.append(gpa, '[');
    while (try members.next()) |member| {
        const m = member.value;
        try separate(&out, gpa);
        try out.append(gpa, '{');
        try text_of.quote(&out, gpa, key);
        try out.print(gpa, ":{s}", .{m.n.key});
        if (value) |name| {
            try out.append(gpa, ',');
            try text_of.quote(&out, gpa, name);
            try out.print(gpa, ":{s}}}", .{try m.json()});
            continue;
        }
        if (m.typeOf() != .object) return m.wrong("an object");
        if (try v.d.find(m.n, key) != null) {
            return v.d.fail("{s} must not be there: it is where the key of a list element goes", .{try m.location(&.{key})});
        }
        const rest = std.mem.trimStart(u8, (try m.json())[1..], " \t\r\n");
        if (!std.mem.startsWith(u8, rest, "}")) try out.append(gpa, ',');
        try out.appendSlice(gpa, rest);
    }
    try out.append(gpa, ']');
    try v.set(path, edit.Known{ .text = out.items });
    return true;
}

/// The inverse of listFromMap: turns the list at path into a map, keyed by the elements' member key, which it removes from them. If
/// value names a member, elements must have exactly the members key and value. An element without the key or the value, or with the
/// key of another element, refuses the object. Reports whether the list was present.
pub fn mapFromList(v: Value, path: Value.Path, key: []const u8, value: ?[]const u8) Error!bool {
    const gpa = v.allocator();
    var elements = try v.elements(path);
    if (elements.container == null) return false;
    var seen: std.StringHashMapUnmanaged(void) = .empty;
    var out: List = .empty;
    try out.append(gpa, '{');
    while (try elements.next()) |element| {
        if (element.typeOf() != .object) return element.wrong("an object");
        const name = try element.string(&.{key}) orelse
            return v.d.fail("{s} must be there: it becomes the key of a map", .{try element.location(&.{key})});
        if ((try seen.getOrPut(gpa, name)).found_existing) {
            return v.d.fail("{s} must be there once only, but {s} is there twice", .{ try element.location(&.{key}), try v.quoted(name) });
        }
        try separate(&out, gpa);
        try text_of.quote(&out, gpa, name);
        try out.append(gpa, ':');
        if (value) |value_name| try entry(element, key, value_name, &out) else try body(element, key, &out);
    }
    try out.append(gpa, '}');
    try v.set(path, edit.Known{ .text = out.items });
    return true;
}

/// Appends a list element without its key.
fn body(element: Value, key: []const u8, out: *List) Error!void {
    const gpa = element.allocator();
    try out.append(gpa, '{');
    var members = try element.members(&.{});
    while (try members.next()) |member| {
        if (std.mem.eql(u8, member.key, key)) continue;
        try separate(out, gpa);
        try out.print(gpa, "{s}:{s}", .{ member.value.n.key, try member.value.json() });
    }
    try out.append(gpa, '}');
}

/// Appends the value of a list element, which has nothing but a key and a value.
fn entry(element: Value, key: []const u8, value: []const u8, out: *List) Error!void {
    var members = try element.members(&.{});
    while (try members.next()) |member| {
        if (std.mem.eql(u8, member.key, key) or std.mem.eql(u8, member.key, value)) continue;
        return element.d.fail("{s} has no place in a map from {s} to {s}", .{ try member.value.location(&.{}), key, value });
    }
    const raw = try element.raw(&.{value}) orelse
        return element.d.fail("{s} must be there: it becomes the value in a map", .{try element.location(&.{value})});
    try out.appendSlice(element.allocator(), raw);
}

/// Appends a comma unless this is the first.
pub fn separate(out: *List, gpa: std.mem.Allocator) Error!void {
    const last = out.items[out.items.len - 1];
    if (last != '{' and last != '[') try out.append(gpa, ',');
}
