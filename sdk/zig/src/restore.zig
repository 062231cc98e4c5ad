//! Restores the values that the conversion to this version kept.

const std = @import("std");
const Stash = @import("Stash.zig");
const Value = @import("Value.zig");
const edit = @import("edit.zig");
const log = @import("log.zig");
const pointers = @import("pointer.zig");
const Error = Value.Error;

/// Restores the values that the conversion to this version kept with `stash`, unless they are
/// stale. Call it first: it decides from the unedited object which values are stale, and restores
/// the others after the converter returns. Without a stash it does nothing. A stash never refuses
/// an object; values that cannot be restored are logged and dropped.
pub fn restore(o: Value) Error!void {
    const gpa = o.allocator();
    const stash = try Stash.of(o.d) orelse return;
    if (stash.restoring) return;
    stash.restoring = true;
    const text = try o.annotation(try Stash.annotationFor(gpa, stash.to)) orelse return;
    const from = Stash.bare(stash.from);
    const to = Stash.bare(stash.to);
    const layers = try Stash.layersOf(o, text) orelse
        return note(o, .warn, "the stash of {s} is not a JSON object, and was dropped", .{try title(o)});
    const layer = try layers.get(&.{to}) orelse return;
    const in = try textAt(layer, &.{"in"});
    if (!std.mem.eql(u8, in, from)) {
        return note(o, .info, "the stash of {s} was taken in {s}, not in {s}, and was dropped", .{ try title(o), try o.quoted(in), from });
    }
    const kept = try layer.get(&.{"kept"});
    if (kept == null or kept.?.typeOf() != .array) {
        return note(o, .warn, "the stash of {s} has no list of what was kept, and was dropped", .{try title(o)});
    }
    var parcels = try kept.?.elements(&.{});
    while (try parcels.next()) |parcel| {
        const sum = try Stash.hashFor(o, try parcel.raw(&.{"for"})) orelse {
            try note(o, .warn, "the stash of {s} has a malformed parcel, which was dropped", .{try title(o)});
            continue;
        };
        const hash = try std.fmt.allocPrint(gpa, "{x:0>16}", .{sum});
        if (std.mem.eql(u8, hash, try textAt(parcel, &.{"hash"}))) {
            try stash.fresh.append(gpa, parcel);
        } else {
            try note(o, .info, "{s} was changed in {s}: what was kept for {s} is stale, and was dropped", .{ try title(o), from, to });
        }
    }
}

/// Sets the values that restore found not to be stale in the converted object.
pub fn putBack(stash: *Stash, o: Value) Error!void {
    const gpa = o.allocator();
    for (stash.fresh.items) |parcel| {
        if (try ofType(parcel, "set", .object)) |set| {
            var members = try set.members(&.{});
            while (try members.next()) |member| {
                if (!try pointers.restorable(gpa, member.key)) continue;
                if (try pointers.setAt(o, member.key, try member.value.json())) continue;
                const format = "{s} has no place for {s} any more, which was kept for {s}, and was dropped";
                try note(o, .info, format, .{ try title(o), member.key, Stash.bare(stash.to) });
            }
        }
        const gone = try ofType(parcel, "gone", .array) orelse continue;
        var elements = try gone.elements(&.{});
        while (try elements.next()) |element| {
            const pointer = try textAt(element, &.{});
            if (!try pointers.restorable(gpa, pointer)) continue;
            const v = try pointers.at(o, pointer) orelse continue;
            if (v.n.parent != null and v.n.parent.?.kind() == '{') try edit.detach(v);
        }
    }
}

fn ofType(v: Value, key: []const u8, want: Value.Type) Error!?Value {
    const found = try v.get(&.{key}) orelse return null;
    return if (found.typeOf() == want) found else null;
}

/// Returns the string at path, the empty one if it is absent or no string.
fn textAt(v: Value, path: Value.Path) Error![]const u8 {
    const found = try v.get(path) orelse return "";
    return if (found.typeOf() == .string) try found.string(&.{}) orelse "" else "";
}

/// Names the object for the log.
pub fn title(o: Value) Error![]const u8 {
    const kind = try textAt(o, &.{"kind"});
    const name = try textAt(o, &.{ "metadata", "name" });
    const namespace = try textAt(o, &.{ "metadata", "namespace" });
    if (namespace.len == 0) return std.fmt.allocPrint(o.allocator(), "{s} {s}", .{ kind, name });
    return std.fmt.allocPrint(o.allocator(), "{s} {s}/{s}", .{ kind, namespace, name });
}

pub fn note(o: Value, level: log.Level, comptime format: []const u8, args: anytype) Error!void {
    log.line(level, try std.fmt.allocPrint(o.allocator(), format, args));
}
