//! A JSON text with a lazy index.
//!
//! A search goes from the front and stops where it finds what it looks for. The values on its way have no known end; they are
//! called open, each is the last child of the one before, and nothing behind `pos` has been looked at. Asking for something
//! further on, or for the end of an open value, goes on from there.

const std = @import("std");
const Arena = @import("Arena.zig");
const Fields = @import("Fields.zig");
const Stash = @import("Stash.zig");
const Value = @import("Value.zig");
const scan = @import("scan.zig");
const text_of = @import("text.zig");
const Document = @This();

/// Refused: the message says why, in words for the person at kubectl.
pub const Error = error{ Refused, OutOfMemory };

arena: *Arena,
text: []const u8,
root: *Node,
/// How far the text has been read.
pos: usize,
/// The innermost value that is being listed.
open: ?*Node = null,
/// What the last error.Refused was about.
message: ?[]const u8 = null,
/// The conversion that is going on.
conversion: ?struct { from: []const u8, to: []const u8 } = null,
/// The fields that the module declares; none: it is shown whole objects.
fields: []const Fields = &.{},
/// What that keeps and puts back, if anything.
stash: ?*Stash = null,

/// One value. It lives as long as the object, also when it is not part of it any more.
pub const Node = struct {
    /// The key with its quotes; empty, where the value is, for elements and the root.
    key: []const u8,
    /// The value; to the end of the document's text as long as it is not closed.
    text: []const u8,
    parent: ?*Node,
    next: ?*Node = null,
    first: ?*Node = null,
    last: ?*Node = null,
    /// The member that was asked for last.
    found: ?*Node = null,
    /// The end of the value is known.
    closed: bool = false,
    /// An object or array whose members are, or are being, listed.
    entered: bool = false,
    /// Its members are not those of its text any more.
    edited: bool = false,
    /// Deleted, or moved elsewhere as another value.
    gone: bool = false,
    /// Key or value are new, or not where the text has them.
    loose: bool = false,
    /// The key has escapes.
    escaped: bool = false,

    /// The first byte of the value, which says its type; 0 where the text ends too early.
    pub inline fn kind(n: *const Node) u8 {
        return if (n.text.len > 0) n.text[0] else 0;
    }

    /// The key without quotes, as it is in the text.
    pub inline fn innerKey(n: *const Node) []const u8 {
        return if (n.key.len >= 2) n.key[1 .. n.key.len - 1] else "";
    }

    fn close(n: *Node, end: usize) void {
        n.text = n.text[0..end];
        n.closed = true;
    }
};

/// Makes the document of a text, which must stay as it is as long as the arena is not reset.
pub fn init(arena: *Arena, text: []const u8) Error!*Document {
    const pos = scan.skipSpace(text, 0);
    const root = try arena.create(Node);
    root.* = .{ .key = text[pos..pos], .text = text[pos..], .parent = null };
    const d = try arena.create(Document);
    d.* = .{ .arena = arena, .text = text, .root = root, .pos = pos };
    return d;
}

pub fn value(d: *Document) Value {
    return .{ .d = d, .n = d.root };
}

/// Returns error.Refused, and remembers what it is about.
pub fn fail(d: *Document, comptime format: []const u8, args: anytype) Error {
    @branchHint(.cold);
    d.message = try std.fmt.allocPrint(d.arena.allocator(), format, args);
    return error.Refused;
}

fn malformed(d: *Document, at: usize) Error {
    return d.fail("the object is not valid JSON at byte {d}", .{at});
}

/// Returns the position in base where part, a part of it, begins.
pub inline fn position(base: []const u8, part: []const u8) usize {
    return @intFromPtr(part.ptr) -% @intFromPtr(base.ptr);
}

/// Adds a child to the end of parent.
pub fn add(d: *Document, parent: *Node, key: []const u8, text: []const u8) Error!*Node {
    const c = try d.arena.create(Node);
    c.* = .{ .key = key, .text = text, .parent = parent };
    if (parent.last) |last| last.next = c else parent.first = c;
    parent.last = c;
    return c;
}

/// Reads what follows a value, or an opening bracket, of n at base[pos..]. Adds one more child, whose value begins where pos
/// then is, or returns null with pos behind the closing bracket.
fn child(d: *Document, n: *Node, base: []const u8, pos: *usize) Error!?*Node {
    var at = scan.skipSpace(base, pos.*);
    if (at < base.len and base[at] == ',') at = scan.skipSpace(base, at + 1);
    const start = position(d.text, base);
    if (at >= base.len) return d.malformed(start +% at);
    if (base[at] == '}' or base[at] == ']') {
        pos.* = at + 1;
        return null;
    }
    var key = base[at..at];
    var escaped = false;
    if (n.kind() == '{') {
        if (base[at] != '"') return d.malformed(start +% at);
        const string = scan.stringEnd(base, at + 1) orelse return d.malformed(start +% at);
        key = base[at..string.end];
        escaped = string.escaped;
        at = scan.skipSpace(base, string.end);
        if (at >= base.len or base[at] != ':') return d.malformed(start +% string.end);
        at = scan.skipSpace(base, at + 1);
        if (at >= base.len) return d.malformed(start +% string.end);
    }
    pos.* = at;
    const c = try d.add(n, key, base[at..]);
    c.escaped = escaped;
    return c;
}

/// Lists one more member of n, which is open, and returns it, its end not known; null when there is none: n's end is known
/// then.
fn scanNext(d: *Document, n: *Node) Error!?*Node {
    // What is open within n is read to its end first.
    while (d.open) |inner| {
        if (inner == n) break;
        while (d.open == inner) _ = try d.scanNext(inner);
    }
    if (n.last) |last| {
        if (!last.closed) try d.skip(last);
    }
    var pos = d.pos;
    const c = try d.child(n, d.text, &pos);
    d.pos = pos;
    if (c == null) {
        n.close(pos - position(d.text, n.text));
        d.open = n.parent;
    }
    return c;
}

/// Reads over n, the value that the search stopped at.
fn skip(d: *Document, n: *Node) Error!void {
    const at = position(d.text, n.text);
    const end = scan.valueEnd(n.text, 0) orelse return d.malformed(at);
    n.close(end);
    d.pos = at + end;
}

/// Begins to list the members of n, an object or array.
fn enter(d: *Document, n: *Node) Error!void {
    if (n.entered) return;
    if (!n.closed) {
        // The value that the search stopped at.
        n.entered = true;
        d.open = n;
        d.pos = position(d.text, n.text) + 1;
        return;
    }
    // Skipped before, or put in by an edit: its end is known, and all of it is listed now.
    var pos: usize = 1;
    errdefer {
        n.first = null;
        n.last = null;
    }
    while (try d.child(n, n.text, &pos)) |c| {
        const end = scan.valueEnd(n.text, pos) orelse return d.malformed(pos);
        c.close(end - pos);
        pos = end;
    }
    n.entered = true;
}

/// Makes sure that n's end is known.
pub fn finish(d: *Document, n: *Node) Error!void {
    while (!n.closed) {
        if (n.entered) _ = try d.scanNext(n) else try d.skip(n);
    }
}

/// Lists all children of n, an object or array.
pub fn list(d: *Document, n: *Node) Error!void {
    try d.enter(n);
    try d.finish(n);
}

/// Returns the member of n with that key, null or not.
pub fn find(d: *Document, n: *Node, key: []const u8) Error!?*Node {
    if (n.kind() != '{') return null;
    try d.enter(n);
    if (n.found) |c| {
        if (!c.gone and try d.keyIs(c, key)) return c;
    }
    var next = n.first;
    while (next) |c| : (next = c.next) {
        if (!c.gone and try d.keyIs(c, key)) {
            n.found = c;
            return c;
        }
    }
    while (!n.closed) {
        const c = try d.scanNext(n) orelse break;
        if (try d.keyIs(c, key)) {
            n.found = c;
            return c;
        }
    }
    return null;
}

/// Returns the child of n behind c, the first one for null.
pub fn after(d: *Document, n: *Node, c: ?*Node) Error!?*Node {
    try d.enter(n);
    var next = if (c) |last| last.next else n.first;
    while (next) |one| : (next = one.next) {
        if (!one.gone) return one;
    }
    return if (n.closed) null else d.scanNext(n);
}

inline fn keyIs(d: *Document, c: *Node, key: []const u8) Error!bool {
    const inner = c.innerKey();
    return text_of.equal(if (c.escaped) try d.plain(inner) else inner, key);
}

/// Returns the key of n, unescaped.
pub fn keyOf(d: *Document, n: *Node) Error![]const u8 {
    return if (n.escaped) d.plain(n.innerKey()) else n.innerKey();
}

/// Returns the text of a JSON string, given without its quotes: in place if it has no escapes.
pub fn plain(d: *Document, inner: []const u8) Error![]const u8 {
    if (std.mem.findScalar(u8, inner, '\\') == null) return inner;
    var out: std.ArrayList(u8) = .empty;
    try out.ensureTotalCapacityPrecise(d.arena.allocator(), inner.len);
    try text_of.unquote(&out, d.arena.allocator(), inner);
    return out.items;
}

/// Returns text as a JSON string, which lives as long as the object.
pub fn quoted(d: *Document, text: []const u8) Error![]const u8 {
    var out: std.ArrayList(u8) = .empty;
    try text_of.quote(&out, d.arena.allocator(), text);
    return out.items;
}
