//! Does what the object says: it runs the list of edits in .program, [name, path, argument...], on the object. The same module in
//! every language lets a test compare the SDKs.

const std = @import("std");
const cw = @import("crosswalk");

const module: cw.Module = .{
    .name = "edits",
    .version = "1.0.0",
    .conversions = &.{.{ .from = "test.example.com/v1", .to = "test.example.com/v2", .convert = run }},
};

comptime {
    cw.serve(module);
}

pub const panic = cw.panic;

const Name = enum { set, int, bool, raw, append, appendraw, delete, rename, move, read, string, number, keys, elements };

fn run(o: cw.Object) cw.Error!void {
    var program = try o.elements(&.{"program"});
    while (try program.next()) |edit| {
        var name: []const u8 = "";
        var text: []const u8 = "";
        var path: cw.Path = &.{};
        var to: cw.Path = &.{};
        var parts = try edit.elements(&.{});
        var i: usize = 0;
        while (try parts.next()) |part| : (i += 1) {
            const s = part.string(&.{}) catch null;
            if (part.typeOf() == .array) {
                if (i == 1) path = try keys(part) else if (i > 1) to = try keys(part);
            } else if (i == 0) name = s orelse "" else if (i > 1) text = s orelse "";
        }
        try apply(o, std.meta.stringToEnum(Name, name) orelse continue, path, text, to);
    }
}

fn apply(o: cw.Object, name: Name, path: cw.Path, text: []const u8, to: cw.Path) cw.Error!void {
    const gpa = o.allocator();
    switch (name) {
        .set => try o.set(path, text),
        .int => try o.set(path, std.fmt.parseInt(i64, text, 10) catch 0),
        .bool => try o.set(path, std.mem.eql(u8, text, "true")),
        .raw => try o.set(path, cw.Raw{ .text = text }),
        .append => try o.append(path, text),
        .appendraw => try o.append(path, cw.Raw{ .text = text }),
        .delete => try o.remove(path),
        .rename => try o.rename(path, text),
        .move => try o.move(path, to),
        .read => if (try o.raw(path)) |json| try o.append(&.{"out"}, json),
        .string => {
            const s, const wrong = seen([]const u8, o.string(path));
            try o.append(&.{"out"}, try std.fmt.allocPrint(gpa, "{s} {} {}", .{ s orelse "", s != null, wrong }));
        },
        .number => {
            const n, const wrong = seen(i64, o.int(path));
            try o.append(&.{"out"}, try std.fmt.allocPrint(gpa, "{d} {} {}", .{ n orelse 0, n != null, wrong }));
        },
        .keys => {
            const v = try o.get(path) orelse return;
            if (v.typeOf() != .object) return;
            var members = try v.members(&.{});
            while (try members.next()) |member| {
                try o.append(&.{"out"}, try std.fmt.allocPrint(gpa, "{s} {s}", .{ member.key, try member.value.location(&.{}) }));
            }
        },
        .elements => {
            const v = try o.get(path) orelse return;
            if (v.typeOf() != .array) return;
            var elements = try v.elements(&.{});
            var i: usize = 0;
            while (try elements.next()) |element| : (i += 1) {
                if (i % 2 == 1) try element.remove(&.{}) else try element.set(&.{}, text);
            }
        },
    }
}

/// Returns what was read, and whether it was wrong, which is no refusal here.
fn seen(comptime T: type, result: cw.Error!?T) struct { ?T, bool } {
    return if (result) |value| .{ value, false } else |_| .{ null, true };
}

/// Returns the strings in an array.
fn keys(v: cw.Value) cw.Error!cw.Path {
    var list: std.ArrayList([]const u8) = .empty;
    var elements = try v.elements(&.{});
    while (try elements.next()) |e| try list.append(v.allocator(), if (e.typeOf() == .string) try e.string(&.{}) orelse "" else "");
    return list.items;
}
