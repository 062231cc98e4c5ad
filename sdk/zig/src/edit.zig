//! Edits never change the text. New keys and values are put in the arena, values are marked, and so is what encloses them; render
//! does the rest.

const std = @import("std");
const Document = @import("Document.zig");
const Value = @import("Value.zig");
const text_of = @import("text.zig");
const Error = Document.Error;
const Node = Document.Node;
const Path = Value.Path;

/// JSON text, set in an object unchanged. Text that is not JSON refuses the object.
pub const Raw = struct { text: []const u8 };

/// JSON that is known to be valid, and lives as long as the object.
pub const Known = struct { text: []const u8 };

/// Sets the value at path to text, an integer, a boolean, another Value, or Raw JSON. It replaces
/// the existing value in place, or adds a new last member; absent or null objects on the path are
/// created.
pub fn set(v: Value, path: Path, new: anytype) Error!void {
    return put(v, path, try json(v, path, new));
}

/// Appends a value to the array at path. Creates the array if it is absent or null.
pub fn append(v: Value, path: Path, new: anytype) Error!void {
    return putLast(v, path, try json(v, path, new));
}

/// Removes the value at path, if it is there.
pub fn remove(v: Value, path: Path) Error!void {
    const there = try v.target(path) orelse return;
    if (there.n.parent == null) return v.d.fail("the object as a whole cannot be deleted", .{});
    try detach(there);
}

/// Removes the object at path if it has no members. Call it after a move out of the object: an object that only the other
/// version has would stay, empty. A value of another type refuses the object.
pub fn removeIfEmpty(v: Value, path: Path) Error!void {
    const there = try v.get(path) orelse return;
    var rest = try there.members(&.{});
    if (try rest.next() == null) try remove(there, &.{});
}

/// Gives the member at path, if it is there, another key; its value and its place stay as they are. A key that is taken
/// already refuses the object, as something would be lost.
pub fn rename(v: Value, path: Path, key: []const u8) Error!void {
    const there = try v.target(path) orelse return;
    const parent = there.n.parent;
    if (parent == null or parent.?.kind() != '{') {
        return v.d.fail("{s} cannot be renamed: it is not a member of an object", .{try there.location(&.{})});
    }
    if (try v.d.find(parent.?, key)) |taken| {
        if (taken == there.n) return;
        const other: Value = .{ .d = v.d, .n = taken };
        return v.d.fail("{s} cannot be renamed: {s} is there already", .{ try there.location(&.{}), try other.location(&.{}) });
    }
    try setKey(there, key);
    changed(there);
}

/// Takes the member at path from, if it is there, away and puts it, text and edits unchanged, at path to, as the last member of
/// its object. Objects on the way are made as needed. If something other than null is at path to already, the object is
/// refused.
pub fn move(v: Value, from: Path, to: Path) Error!void {
    const there = try v.target(from) orelse return;
    if (there.n.parent == null or to.len == 0) {
        return v.d.fail("{s} cannot be moved to {s}", .{ try v.location(from), try v.location(to) });
    }
    try detach(there);
    const parent = try make(v, to[0 .. to.len - 1], to);
    const key = to[to.len - 1];
    if (try v.d.find(parent.n, key)) |n| {
        const taken: Value = .{ .d = v.d, .n = n };
        if (taken.typeOf() != .null) {
            return v.d.fail("{s} cannot be moved: {s} is there already", .{ try v.location(from), try taken.location(&.{}) });
        }
        try detach(taken);
        try v.d.finish(parent.n); // a member can be added only where all are listed
    }
    const n = try v.d.add(parent.n, there.n.key, there.n.text);
    n.first = there.n.first;
    n.last = there.n.last;
    n.closed = true;
    n.loose = true;
    n.edited = there.n.edited;
    n.entered = there.n.entered;
    try setKey(.{ .d = v.d, .n = n }, key);
    var next = n.first;
    while (next) |c| : (next = c.next) c.parent = n;
    touch(parent.n);
}

/// Returns the JSON text of a new value, which lives as long as the object.
fn json(v: Value, path: Path, new: anytype) Error![]const u8 {
    const T = @TypeOf(new);
    if (T == Raw) {
        const text = text_of.validJson(new.text) orelse
            return v.d.fail("{s} cannot be set: the new value is not valid JSON", .{try v.location(path)});
        return v.d.arena.dupe(text);
    }
    if (T == Known) return new.text;
    if (T == Value) return new.json();
    if (T == bool) return if (new) "true" else "false";
    return switch (@typeInfo(T)) {
        .int, .comptime_int => integer(v.d, new),
        else => v.d.quoted(new),
    };
}

fn integer(d: *Document, i: i64) Error![]const u8 {
    var buffer: [20]u8 = undefined;
    return d.arena.dupe(std.fmt.bufPrint(&buffer, "{d}", .{i}) catch unreachable);
}

/// Makes text the value at path.
pub fn put(v: Value, path: Path, text: []const u8) Error!void {
    if (path.len == 0) return replace(v, text);
    const parent = try make(v, path[0 .. path.len - 1], path);
    const key = path[path.len - 1];
    if (try v.d.find(parent.n, key)) |n| return replace(.{ .d = v.d, .n = n }, text);
    _ = try insert(parent, key, text);
}

fn putLast(v: Value, path: Path, text: []const u8) Error!void {
    const there = try v.target(path);
    if (there == null or there.?.typeOf() == .null) {
        return put(v, path, try std.fmt.allocPrint(v.allocator(), "[{s}]", .{text}));
    }
    const list = there.?;
    if (list.typeOf() != .array) return list.wrong("an array");
    try v.d.list(list.n);
    const c = try v.d.add(list.n, "", text);
    c.closed = true;
    c.loose = true;
    touch(list.n);
}

/// Returns the object at path, made if it is absent or null. whole is the path of what is to be set, for the message.
fn make(v: Value, path: Path, whole: Path) Error!Value {
    var at = v;
    for (0..path.len + 1) |i| {
        switch (at.typeOf()) {
            .object => {},
            .null => try replace(at, "{}"),
            else => |other| return v.d.fail("{s} cannot be set: {s} is {s}, not an object", .{
                try v.location(whole), try at.location(&.{}), other.words(),
            }),
        }
        if (i == path.len) break;
        at.n = try v.d.find(at.n, path[i]) orelse try insert(at, path[i], "{}");
    }
    return at;
}

/// Adds a member to an object, all of whose members are listed.
fn insert(v: Value, key: []const u8, text: []const u8) Error!*Node {
    const c = try v.d.add(v.n, "", text);
    c.closed = true;
    c.loose = true;
    try setKey(.{ .d = v.d, .n = c }, key);
    touch(v.n);
    return c;
}

/// Gives a value another text.
fn replace(v: Value, text: []const u8) Error!void {
    const n = v.n;
    try v.d.finish(n);
    var next = n.first;
    while (next) |c| : (next = c.next) c.gone = true; // edits of it must not reach what this value will be
    n.text = text;
    n.first = null;
    n.last = null;
    n.found = null;
    n.entered = false;
    n.edited = false;
    n.loose = true;
    changed(v);
}

fn setKey(v: Value, key: []const u8) Error!void {
    v.n.key = try v.d.quoted(key);
    v.n.escaped = v.n.key.len != key.len + 2;
    v.n.loose = true;
}

/// Removes a value from its parent.
pub fn detach(v: Value) Error!void {
    try v.d.finish(v.n);
    changed(v);
    v.n.gone = true;
}

/// Marks all enclosing values as edited, unless the value was detached from the object.
fn changed(v: Value) void {
    if (v.n.gone) return;
    if (v.n.parent) |parent| touch(parent);
}

/// Marks a value and all enclosing values as edited.
fn touch(n: *Node) void {
    var next: ?*Node = n;
    while (next) |one| {
        if (one.edited) return;
        one.edited = true;
        next = if (one.gone) null else one.parent;
    }
}
