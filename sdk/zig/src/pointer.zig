//! JSON Pointers (RFC 6901), which name values in the stash (docs/spec/stash.md).

const std = @import("std");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const text_of = @import("text.zig");
const Error = Value.Error;
const List = std.ArrayList(u8);

/// Appends the pointer to a value. A list element keeps its original index even if elements before
/// it were removed.
pub fn appendPointer(out: *List, v: Value) Error!void {
    const gpa = v.allocator();
    const parent = v.n.parent orelse return;
    try appendPointer(out, .{ .d = v.d, .n = parent });
    if (parent.kind() == '{') return appendToken(out, gpa, try v.d.keyOf(v.n));
    var index: usize = 0;
    var before = parent.first;
    while (before) |c| : (before = c.next) {
        if (c == v.n) break;
        index += 1;
    }
    try out.print(gpa, "/{d}", .{index});
}

/// Appends one key to a pointer.
pub fn appendToken(out: *List, gpa: std.mem.Allocator, key: []const u8) Error!void {
    try out.append(gpa, '/');
    for (key) |c| switch (c) {
        '~' => try out.appendSlice(gpa, "~0"),
        '/' => try out.appendSlice(gpa, "~1"),
        else => try out.append(gpa, c),
    };
}

pub const Token = struct { key: []const u8, rest: []const u8 };

/// Takes the first key off a pointer; null if there is none.
pub fn cutToken(gpa: std.mem.Allocator, pointer: []const u8) Error!?Token {
    if (pointer.len == 0 or pointer[0] != '/') return null;
    const end = std.mem.findScalarPos(u8, pointer, 1, '/') orelse pointer.len;
    const key = pointer[1..end];
    const rest = pointer[end..];
    if (std.mem.findScalar(u8, key, '~') == null) return .{ .key = key, .rest = rest };
    var plain: List = .empty;
    var i: usize = 0;
    while (i < key.len) : (i += 1) {
        var c = key[i];
        if (c == '~' and i + 1 < key.len and (key[i + 1] == '0' or key[i + 1] == '1')) {
            i += 1;
            c = if (key[i] == '0') '~' else '/';
        }
        try plain.append(gpa, c);
    }
    return .{ .key = plain.items, .rest = rest };
}

/// Reports whether a value at the pointer may be restored.
pub fn restorable(gpa: std.mem.Allocator, pointer: []const u8) Error!bool {
    const token = try cutToken(gpa, pointer) orelse return false;
    for ([_][]const u8{ "apiVersion", "kind", "metadata" }) |key| {
        if (std.mem.eql(u8, token.key, key)) return false;
    }
    return true;
}

/// Returns the number of an element, if a key may be meant as one.
fn indexOf(key: []const u8) ?usize {
    if (key.len == 0 or key.len > 9 or key.len > 1 and key[0] == '0') return null;
    for (key) |c| if (!std.ascii.isDigit(c)) return null;
    return std.fmt.parseInt(usize, key, 10) catch null;
}

/// Returns the member or element with that key.
pub fn step(v: Value, key: []const u8) Error!?Value {
    switch (v.typeOf()) {
        .object => {
            const n = try v.d.find(v.n, key) orelse return null;
            return .{ .d = v.d, .n = n };
        },
        .array => {
            var index = indexOf(key) orelse return null;
            var elements = try v.elements(&.{});
            while (try elements.next()) |element| : (index -= 1) if (index == 0) return element;
            return null;
        },
        else => return null,
    }
}

/// Returns what a pointer leads to from a value.
pub fn at(start: Value, pointer: []const u8) Error!?Value {
    var v = start;
    var rest = pointer;
    while (rest.len > 0) {
        const token = try cutToken(v.allocator(), rest) orelse return null;
        v = try step(v, token.key) orelse return null;
        rest = token.rest;
    }
    return v;
}

/// Puts JSON where a pointer leads, and says whether that could be done: objects on the way are made, elements of lists are not.
pub fn setAt(start: Value, pointer: []const u8, json: []const u8) Error!bool {
    var v = start;
    var rest = pointer;
    while (true) {
        const token = try cutToken(v.allocator(), rest) orelse return false;
        const there = try step(v, token.key);
        if (there) |next| {
            if (token.rest.len > 0 and next.typeOf() != .null) {
                v = next;
                rest = token.rest;
                continue;
            }
        } else if (v.typeOf() != .object) return false;
        const value = try nest(v.allocator(), token.rest, json) orelse return false;
        if (there) |old| {
            try old.set(&.{}, edit.Known{ .text = value });
        } else {
            try v.d.list(v.n); // a member can be added only where all are listed
            try v.set(&.{token.key}, edit.Known{ .text = value });
        }
        return true;
    }
}

/// Makes {"b":{"c":json}} for the pointer /b/c; null if one of the keys may be meant as the number of an element.
fn nest(gpa: std.mem.Allocator, pointer: []const u8, json: []const u8) Error!?[]const u8 {
    var out: List = .empty;
    var depth: usize = 0;
    var rest = pointer;
    while (rest.len > 0) : (depth += 1) {
        const token = try cutToken(gpa, rest) orelse return null;
        if (indexOf(token.key) != null) return null;
        try out.append(gpa, '{');
        try text_of.quote(&out, gpa, token.key);
        try out.append(gpa, ':');
        rest = token.rest;
    }
    try out.appendSlice(gpa, json);
    try out.appendNTimes(gpa, '}', depth);
    return out.items;
}
