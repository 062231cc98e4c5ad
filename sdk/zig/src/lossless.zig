//! Keeps the fields that the other version lacks.

const std = @import("std");
const Document = @import("Document.zig");
const Stash = @import("Stash.zig");
const Value = @import("Value.zig");
const hash = @import("hash.zig").hash;
const pointers = @import("pointer.zig");
const restore = @import("restore.zig");
const served = @import("served.zig");
const Converter = @import("module.zig").Converter;
const Error = Value.Error;

/// Makes a converter of `convert` that keeps the fields that the target version lacks: it converts
/// the result back with `back`, from the text that an API server sends for it, and stashes every
/// difference from the original object. It begins with `restore`. The converter of the other direction must be lossless, too, or begin with
/// restore:
///
///     .{ .from = "example.com/v1", .to = "example.com/v1beta1", .convert = cw.lossless(toBeta, toV1) },
///     .{ .from = "example.com/v1beta1", .to = "example.com/v1", .convert = cw.lossless(toV1, toBeta) },
///
/// It costs a conversion back and a comparison for every object, and the stashed values are dropped
/// if a client changes more than metadata and status in the target version. `stashFor` is faster
/// and can keep more; do not use both. If `back` refuses the result, nothing is stashed: the target
/// version could not be written back anyway.
pub fn lossless(comptime convert: Converter, comptime back: Converter) Converter {
    return &struct {
        fn both(o: Value) Error!void {
            return thereAndBack(o, convert, back);
        }
    }.both;
}

fn thereAndBack(o: Value, convert: Converter, back: Converter) Error!void {
    try o.restore();
    try convert(o);
    const stash = try Stash.of(o.d) orelse return;
    try restore.putBack(stash, o);
    try o.set(&.{"apiVersion"}, stash.to);
    const gpa = o.allocator();
    var sent: std.ArrayList(u8) = .empty;
    try served.append(&sent, gpa, (try Document.init(o.d.arena, try o.json())).value());
    const again = (try Document.init(o.d.arena, sent.items)).value();
    back(again) catch |err| switch (err) {
        error.OutOfMemory => return err,
        error.Refused => {
            const format = "{s} cannot be converted back to {s}, so nothing was kept for it";
            return restore.note(o, .warn, format, .{ try restore.title(o), Stash.bare(stash.from) });
        },
    };
    const was = (try Document.init(o.d.arena, o.d.text)).value();
    try keepMembers(stash, "", was, again);
}

/// Stashes the differences between the members of two objects.
fn keepMembers(stash: *Stash, pointer: []const u8, was: Value, again: Value) Error!void {
    const gpa = was.allocator();
    var members = try was.members(&.{});
    while (try members.next()) |a| {
        const at = try below(gpa, pointer, a.key);
        if (try pointers.restorable(gpa, at)) try keepDifference(stash, at, a.value, try pointers.step(again, a.key));
    }
    members = try again.members(&.{});
    while (try members.next()) |b| {
        if (b.value.typeOf() == .null or try pointers.step(was, b.key) != null) continue;
        const at = try below(gpa, pointer, b.key);
        if (try pointers.restorable(gpa, at)) try stash.keep(gpa, null, at, null); // invented by the conversion back
    }
}

fn below(gpa: std.mem.Allocator, pointer: []const u8, key: []const u8) Error![]const u8 {
    var out: std.ArrayList(u8) = .empty;
    try out.appendSlice(gpa, pointer);
    try pointers.appendToken(&out, gpa, key);
    return out.items;
}

/// Keeps what is at a and not, or otherwise, at b.
fn keepDifference(stash: *Stash, pointer: []const u8, a: Value, other: ?Value) Error!void {
    const gpa = a.allocator();
    const kind = a.typeOf();
    const b = if (other) |b| (if (b.typeOf() == .null) null else b) else null;
    if (b == null) {
        if (kind != .null) try stash.keep(gpa, null, pointer, try a.json());
        return;
    }
    if (std.mem.eql(u8, try a.json(), try b.?.json())) return;
    if (kind == .object and b.?.typeOf() == .object) return keepMembers(stash, pointer, a, b.?);
    if (kind == .array and b.?.typeOf() == .array) {
        var x = try a.elements(&.{});
        var y = try b.?.elements(&.{});
        if (try x.count() == try y.count()) {
            var i: usize = 0;
            while (try x.next()) |element| : (i += 1) {
                const at = try std.fmt.allocPrint(gpa, "{s}/{d}", .{ pointer, i });
                try keepDifference(stash, at, element, try y.next());
            }
            return;
        }
    }
    if (try hash(a) != try hash(b)) try stash.keep(gpa, null, pointer, try a.json());
}
