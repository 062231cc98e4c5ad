//! What one conversion keeps for the way back, in one annotation, and what it puts back of what the last one kept: docs/spec/stash.md
//! is the format.

const std = @import("std");
const Document = @import("Document.zig");
const Fields = @import("Fields.zig");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const hash = @import("hash.zig");
const keyed = @import("keyed.zig");
const pointers = @import("pointer.zig");
const restore = @import("restore.zig");
const text_of = @import("text.zig");
const Error = Value.Error;
const Path = Value.Path;
const List = std.ArrayList(u8);
const Stash = @This();

/// The longest text of a stash's annotation, in bytes: half of what Kubernetes allows all annotations of an object together
/// (256 KiB), as kubectl's last-applied configuration needs room too.
const longest = 128 << 10;

/// What the status is taken for.
const status_only = "[\"/status\"]";

/// The apiVersions of the conversion.
from: []const u8,
to: []const u8,
kept: std.ArrayList(Kept) = .empty,
/// `restore` was called.
restoring: bool = false,
/// The parcels that it found fresh.
fresh: std.ArrayList(Value) = .empty,

const Kept = struct {
    /// What it was taken for: a JSON list of pointers; null = everything but metadata and status.
    taken: ?[]const u8,
    pointer: []const u8,
    /// null: the conversion back puts in a value that was not there.
    value: ?[]const u8,
};

/// Removes the value at path from the object and keeps it in an annotation, for a version that has no field for it. The conversion back
/// restores it if that begins with `restore` and only metadata and status changed in between. A value below .status is restored if the
/// status did not change. Reports whether the value was present.
///
/// Call it before you rename or move an object that contains the value: it records the current path. A fragment without metadata cannot
/// hold a stash, and the value is dropped. An object is refused if its stash exceeds 128 KiB.
pub fn stash(v: Value, path: Path) Error!bool {
    return takeAway(v, path, null);
}

/// Does as `stash`, for a value that depends on a part of the object only: the value is restored if the values at the paths unchanged
/// have not changed in the other version. Without such paths it is always restored, which suits a field that the other version does not
/// know. An index names a list element: `&.{ "spec", "hosts", "0" }`.
pub fn stashFor(v: Value, path: Path, unchanged: []const Path) Error!bool {
    const gpa = v.allocator();
    var list: List = .empty;
    try list.append(gpa, '[');
    for (unchanged) |keys| {
        var pointer: List = .empty;
        for (keys) |key| try pointers.appendToken(&pointer, gpa, key);
        try keyed.separate(&list, gpa);
        try text_of.quote(&list, gpa, pointer.items);
    }
    try list.append(gpa, ']');
    return takeAway(v, path, list.items);
}

fn takeAway(from: Value, path: Path, taken: ?[]const u8) Error!bool {
    const gpa = from.allocator();
    const v = try from.target(path) orelse return false;
    var pointer: List = .empty;
    try pointers.appendPointer(&pointer, v);
    if (!try pointers.restorable(gpa, pointer.items)) {
        return v.d.fail("{s} cannot be stashed: only what is beside apiVersion, kind and metadata can", .{try v.location(&.{})});
    }
    if (v.n.parent.?.kind() != '{') {
        return v.d.fail("{s} cannot be stashed: it is an element of a list, which can be stashed as a whole", .{try v.location(&.{})});
    }
    if (try of(v.d)) |s| try s.keep(gpa, taken, pointer.items, try v.json());
    try edit.detach(v);
    return true;
}

/// Returns the stash of the conversion that is going on; null outside of one.
pub fn of(d: *Document) Error!?*Stash {
    const conversion = d.conversion orelse return null;
    if (d.stash == null) {
        const s = try d.arena.create(Stash);
        s.* = .{ .from = conversion.from, .to = conversion.to };
        d.stash = s;
    }
    return d.stash;
}

/// Restores what is fresh, and writes the stash, after a converter. It does so even if the converter has kept nothing: a layer left over
/// of the version that the object comes from would be restored later.
pub fn finish(o: Value) Error!void {
    if (o.d.stash == null and try o.get(&.{ "metadata", "annotations" }) == null) return;
    const s = try of(o.d) orelse return;
    try restore.putBack(s, o);
    try s.write(o);
}

/// Keeps a value, or notes that there was none; taken is null for the default of its place.
pub fn keep(s: *Stash, gpa: std.mem.Allocator, taken: ?[]const u8, pointer: []const u8, value: ?[]const u8) Error!void {
    const in_status = std.mem.eql(u8, pointer, "/status") or std.mem.startsWith(u8, pointer, "/status/");
    const default: ?[]const u8 = if (in_status) status_only else null;
    try s.kept.append(gpa, .{ .taken = taken orelse default, .pointer = pointer, .value = value });
}

/// Puts the stash into the object, which is converted otherwise.
fn write(s: *Stash, o: Value) Error!void {
    const gpa = o.allocator();
    const key = try annotationFor(gpa, s.to);
    const old = try o.annotation(key);
    const single = try std.fmt.allocPrint(gpa, "metadata.annotations['{s}']", .{key});
    const double = try std.fmt.allocPrint(gpa, "metadata.annotations[\"{s}\"]", .{key});
    const shown = Fields.shown(o.d.fields, s.from, s.to, &.{ "metadata.annotations", single, double });
    if (s.kept.items.len == 0 and !s.restoring and !(shown and old != null)) return;
    if (!shown) return o.d.fail(
        "the module declares fields, and keeps a stash: it has to declare {s} too (.fields)",
        .{single},
    );
    const metadata = try o.get(&.{"metadata"}) orelse return;
    if (metadata.typeOf() != .object) return;
    var text: List = .empty;
    try text.append(gpa, '{');
    if (try layersOf(o, old orelse "")) |layers| {
        var members = try layers.members(&.{});
        while (try members.next()) |layer| {
            if (std.mem.eql(u8, layer.key, bare(s.from)) or std.mem.eql(u8, layer.key, bare(s.to))) continue;
            try keyed.separate(&text, gpa);
            try text_of.quote(&text, gpa, layer.key);
            try text.print(gpa, ":{s}", .{try layer.value.json()});
        }
    }
    if (s.kept.items.len > 0) {
        try keyed.separate(&text, gpa);
        try text_of.quote(&text, gpa, bare(s.from));
        try text.appendSlice(gpa, ":{\"in\":");
        try text_of.quote(&text, gpa, bare(s.to));
        try text.appendSlice(gpa, ",\"kept\":[");
        try s.writeParcels(&text, o);
        try text.appendSlice(gpa, "]}");
    }
    try text.append(gpa, '}');
    if (text.items.len > longest) {
        const format = "{s} cannot hold this object: what it has no place for needs {d} bytes in the annotation {s}, which may have {d}";
        return o.d.fail(format, .{ bare(s.to), text.items.len, key, longest });
    }
    if (text.items.len > "{}".len) return o.setAnnotation(key, text.items);
    return o.removeAnnotation(key);
}

/// Appends what was kept, what was taken for the same in one parcel, with its hash in the converted object.
fn writeParcels(s: *Stash, out: *List, converted: Value) Error!void {
    const gpa = converted.allocator();
    for (s.kept.items, 0..) |first, i| {
        for (s.kept.items[0..i]) |before| {
            if (same(before.taken, first.taken)) break;
        } else {
            try keyed.separate(out, gpa);
            try out.append(gpa, '{');
            if (first.taken) |taken| try out.print(gpa, "\"for\":{s},", .{taken});
            try out.print(gpa, "\"hash\":\"{x:0>16}\"", .{try hashFor(converted, first.taken) orelse 0});
            var open: u8 = 0;
            for (s.kept.items[i..]) |kept| {
                const value = kept.value orelse continue;
                if (!same(kept.taken, first.taken)) continue;
                try out.appendSlice(gpa, if (open == 0) ",\"set\":{" else ",");
                open = '}';
                try text_of.quote(out, gpa, kept.pointer);
                try out.print(gpa, ":{s}", .{value});
            }
            if (open != 0) try out.append(gpa, open);
            open = 0;
            for (s.kept.items[i..]) |kept| {
                if (kept.value != null or !same(kept.taken, first.taken)) continue;
                try out.appendSlice(gpa, if (open == 0) ",\"gone\":[" else ",");
                open = ']';
                try text_of.quote(out, gpa, kept.pointer);
            }
            if (open != 0) try out.append(gpa, open);
            try out.append(gpa, '}');
        }
    }
}

fn same(a: ?[]const u8, b: ?[]const u8) bool {
    if (a == null or b == null) return a == null and b == null;
    return std.mem.eql(u8, a.?, b.?);
}

/// Returns the hash of what a parcel is taken for; null if that is no list of pointers.
pub fn hashFor(o: Value, taken: ?[]const u8) Error!?u64 {
    const text = taken orelse return if (o.typeOf() == .object) try hash.hashMembers(o, content) else null;
    const list = try o.parse(text) orelse return null;
    if (list.typeOf() != .array) return null;
    var h: hash.Fnv = .init('a');
    var elements = try list.elements(&.{});
    while (try elements.next()) |element| {
        if (element.typeOf() != .string) return null;
        const pointer = try element.string(&.{}) orelse return null;
        if (try pointers.cutToken(o.allocator(), pointer) == null) return null;
        h.word(try hash.hash(try pointers.at(o, pointer)));
    }
    return h.sum();
}

fn content(key: []const u8) bool {
    for ([_][]const u8{ "apiVersion", "kind", "metadata", "status" }) |other| {
        if (std.mem.eql(u8, key, other)) return false;
    }
    return true;
}

/// Returns the annotation for the group of an apiVersion.
pub fn annotationFor(gpa: std.mem.Allocator, api_version: []const u8) Error![]const u8 {
    const slash = std.mem.findScalarLast(u8, api_version, '/') orelse 0;
    return std.fmt.allocPrint(gpa, "conversion.{s}/stash", .{api_version[0..slash]});
}

/// Returns "v1" of "example.com/v1".
pub fn bare(api_version: []const u8) []const u8 {
    const slash = std.mem.findScalarLast(u8, api_version, '/') orelse return api_version;
    return api_version[slash + 1 ..];
}

/// Returns the layers in the text of a stash's annotation; null if it has none.
pub fn layersOf(o: Value, text: []const u8) Error!?Value {
    const layers = try o.parse(text) orelse return null;
    return if (layers.typeOf() == .object) layers else null;
}
