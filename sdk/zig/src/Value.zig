//! One value within an object, or the object itself.
//!
//! Its functions take a path: the keys that lead from this value to another one. The empty path is
//! this value itself. The value at a path is
//!
//!   - absent if a member on the path is missing or null. This is not an error: readers return
//!     null; `rename`, `move` and `remove` do nothing.
//!   - wrong if it has another type than the function expects, or if a value on the path is not an
//!     object. This is error.Refused, and the object's message names the path and both types.
//!
//! A value that was removed, replaced or moved can still be read; editing it has no effect on the
//! object. Values and texts are valid until the conversion returns.

const std = @import("std");
const Document = @import("Document.zig");
const edit = @import("edit.zig");
const render = @import("render.zig").render;
const Node = Document.Node;
const Value = @This();

pub const Error = Document.Error;

/// The keys that lead to a value, from the outside in: `&.{ "spec", "replicas" }`.
pub const Path = []const []const u8;

d: *Document,
n: *Node,

pub const set = edit.set;
pub const append = edit.append;
pub const remove = edit.remove;
pub const removeIfEmpty = edit.removeIfEmpty;
pub const rename = edit.rename;
pub const move = edit.move;

const metadata = @import("metadata.zig");
pub const label = metadata.label;
pub const setLabel = metadata.setLabel;
pub const removeLabel = metadata.removeLabel;
pub const annotation = metadata.annotation;
pub const setAnnotation = metadata.setAnnotation;
pub const removeAnnotation = metadata.removeAnnotation;
pub const isFragment = metadata.isFragment;

const helpers = @import("split.zig");
pub const split = helpers.split;
pub const join = helpers.join;
pub const splitLast = helpers.splitLast;
pub const joinLast = helpers.joinLast;
pub const intFromString = @import("digits.zig").intFromString;
pub const stringFromInt = @import("digits.zig").stringFromInt;
pub const splitList = helpers.splitList;
pub const joinList = helpers.joinList;

const keyed = @import("keyed.zig");
pub const listFromMap = keyed.listFromMap;
pub const mapFromList = keyed.mapFromList;

const enums = @import("translate.zig");
pub const translate = enums.translate;
pub const translateBack = enums.translateBack;
pub const setDefault = enums.setDefault;

const Stash = @import("Stash.zig");
pub const stash = Stash.stash;
pub const stashFor = Stash.stashFor;
pub const restore = @import("restore.zig").restore;

/// The JSON type of a value.
pub const Type = enum {
    invalid, // the text is not JSON here
    null,
    bool,
    number,
    string,
    array,
    object,

    /// The type with its article, as messages need it.
    pub fn words(t: Type) []const u8 {
        return switch (t) {
            .invalid => "nothing",
            .null => "null",
            .bool => "a boolean",
            .number => "a number",
            .string => "a string",
            .array => "an array",
            .object => "an object",
        };
    }
};

/// Returns the type of this value.
pub fn typeOf(v: Value) Type {
    return switch (v.n.kind()) {
        '{' => .object,
        '[' => .array,
        '"' => .string,
        't', 'f' => .bool,
        'n' => .null,
        '-', '0'...'9' => .number,
        else => .invalid,
    };
}

/// Returns the value at path; null if it is absent or null, or if a value on the path is not an
/// object.
pub fn get(v: Value, path: Path) Error!?Value {
    const found = (try v.lookup(path)).value orelse return null;
    return if (found.typeOf() == .null) null else found;
}

/// Returns the string at path, unescaped.
pub fn string(v: Value, path: Path) Error!?[]const u8 {
    const found = try v.read(path, .string, "a string") orelse return null;
    const quoted_text = try found.json();
    return if (quoted_text.len < 2) null else try v.d.plain(quoted_text[1 .. quoted_text.len - 1]);
}

/// Returns the integer at path. A number with a fraction or an exponent, or beyond 64 bits, is wrong.
pub fn int(v: Value, path: Path) Error!?i64 {
    const found = try v.read(path, .number, "an integer") orelse return null;
    const text = try found.json();
    if (std.mem.findScalar(u8, text, '_') == null) {
        if (std.fmt.parseInt(i64, text, 10)) |i| return i else |_| {}
    }
    return v.d.fail("{s} must be an integer of 64 bits, but is {s}", .{ try found.location(&.{}), text });
}

/// Returns the boolean at path.
pub fn boolean(v: Value, path: Path) Error!?bool {
    const found = try v.read(path, .bool, "a boolean") orelse return null;
    return found.n.kind() == 't';
}

/// Returns the JSON text of the value at path, null included, with the edits made in it.
pub fn raw(v: Value, path: Path) Error!?[]const u8 {
    const found = (try v.lookup(path)).value orelse return null;
    return try found.json();
}

/// Returns an iterator over the members of the object at path, in their order. The loop may edit,
/// rename and remove the current one.
pub fn members(v: Value, path: Path) Error!Members {
    return .{ .container = try v.read(path, .object, "an object") };
}

/// Returns an iterator over the elements of the array at path. The loop may edit and remove the
/// current one.
pub fn elements(v: Value, path: Path) Error!Elements {
    return .{ .container = try v.read(path, .array, "an array") };
}

pub const Elements = struct {
    container: ?Value,
    last: ?*Node = null,

    pub fn next(it: *Elements) Error!?Value {
        const c = it.container orelse return null;
        it.last = try c.d.after(c.n, it.last) orelse return null;
        return .{ .d = c.d, .n = it.last.? };
    }

    pub fn count(it: Elements) Error!usize {
        var rest = it;
        var n: usize = 0;
        while (try rest.next()) |_| n += 1;
        return n;
    }
};

pub const Member = struct { key: []const u8, value: Value };

pub const Members = struct {
    container: ?Value,
    last: ?*Node = null,

    pub fn next(it: *Members) Error!?Member {
        const c = it.container orelse return null;
        it.last = try c.d.after(c.n, it.last) orelse return null;
        return .{ .key = try c.d.keyOf(it.last.?), .value = .{ .d = c.d, .n = it.last.? } };
    }
};

/// Returns the location of the value at path, as messages name it: ".spec.containers[0].image".
pub fn location(v: Value, path: Path) Error![]const u8 {
    const gpa = v.d.arena.allocator();
    var out: std.ArrayList(u8) = .empty;
    try v.appendLocation(&out);
    for (path) |key| try appendKey(&out, gpa, key);
    return if (out.items.len == 0) "the object" else out.items;
}

fn appendLocation(v: Value, out: *std.ArrayList(u8)) Error!void {
    const gpa = v.d.arena.allocator();
    const parent = v.n.parent orelse return;
    try (Value{ .d = v.d, .n = parent }).appendLocation(out);
    if (parent.kind() == '{') return appendKey(out, gpa, try v.d.keyOf(v.n));
    var index: usize = 0;
    var before = parent.first;
    while (before) |c| : (before = c.next) {
        if (c == v.n) break;
        index += @intFromBool(!c.gone);
    }
    try out.print(gpa, "[{d}]", .{index});
}

/// Appends ".key", or "['key']" if the key is not a plain word.
fn appendKey(out: *std.ArrayList(u8), gpa: std.mem.Allocator, key: []const u8) Error!void {
    var word = key.len > 0;
    for (key, 0..) |c, i| {
        const letter = std.ascii.isAlphabetic(c) or c == '_';
        if (!letter and (i == 0 or c != '-' and !std.ascii.isDigit(c))) word = false;
    }
    if (word) try out.print(gpa, ".{s}", .{key}) else try out.print(gpa, "['{s}']", .{key});
}

/// Refuses the object, in words for the person at kubectl: `return o.refuse("{s} must be …", .{…})`.
pub fn refuse(v: Value, comptime format: []const u8, args: anytype) Error {
    return v.d.fail(format, args);
}

/// Memory that lives as long as the object: it need not, and cannot, be freed.
pub fn allocator(v: Value) std.mem.Allocator {
    return v.d.arena.allocator();
}

/// Returns text with quotes and escapes, as JSON has it, for messages.
pub fn quoted(v: Value, text: []const u8) Error![]const u8 {
    return v.d.quoted(text);
}

/// Parses JSON, for example from an annotation, as a separate object; null if the text is not JSON.
pub fn parse(v: Value, text: []const u8) Error!?Value {
    const valid = @import("text.zig").validJson(text) orelse return null;
    return (try Document.init(v.d.arena, valid)).value();
}

/// The JSON text of this value.
pub fn json(v: Value) Error![]const u8 {
    try v.d.finish(v.n);
    if (!v.n.edited) return v.n.text;
    var out: std.ArrayList(u8) = .empty;
    _ = try render(v.d, v.n, &out, v.d.arena.allocator());
    return out.items;
}

const Found = struct {
    value: ?Value,
    /// What on the way is no object.
    obstacle: ?Value = null,
};

/// Returns the value at path, null or not.
pub fn lookup(v: Value, path: Path) Error!Found {
    var n = v.n;
    for (path) |key| {
        n = try v.d.find(n, key) orelse {
            const there: Value = .{ .d = v.d, .n = n };
            return switch (there.typeOf()) {
                .object, .null => .{ .value = null },
                else => .{ .value = null, .obstacle = there },
            };
        };
    }
    return .{ .value = .{ .d = v.d, .n = n } };
}

/// Returns the value at path, null or not; what is wrong on the way refuses the object.
pub fn target(v: Value, path: Path) Error!?Value {
    const found = try v.lookup(path);
    if (found.obstacle) |there| return there.wrong("an object");
    return found.value;
}

/// Returns the value at path if it is there and of the type wanted.
pub fn read(v: Value, path: Path, want: Type, words: []const u8) Error!?Value {
    const found = try v.target(path) orelse return null;
    const have = found.typeOf();
    if (have == want) return found;
    return if (have == .null) null else found.wrong(words);
}

/// Refuses the object because this value is of another type than wanted.
pub fn wrong(v: Value, want: []const u8) Error {
    return v.d.fail("{s} must be {s}, but is {s}", .{ try v.location(&.{}), want, v.typeOf().words() });
}
