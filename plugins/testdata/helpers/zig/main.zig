//! Does what the object says: it calls the helpers in .program, [name, object, argument...], where object is the path of the
//! object that the keys among the arguments are members of. The same module in every language lets the shared vectors compare
//! the SDKs. Between v3 and v4 it calls `lossless` with the programs `.forth` and `.back`.

const std = @import("std");
const cw = @import("crosswalk");

const module: cw.Module = .{
    .name = "helpers",
    .version = "1.0.0",
    .conversions = &.{
        .{ .from = "test.example.com/v1", .to = "test.example.com/v2", .convert = run },
        .{ .from = "test.example.com/v3", .to = "test.example.com/v4", .convert = cw.lossless(forth, back) },
        .{ .from = "test.example.com/v4", .to = "test.example.com/v3", .convert = cw.lossless(back, forth) },
    },
};

comptime {
    cw.serve(module);
}

pub const panic = cw.panic;

const Name = enum { split, join, splitlist, joinlist, listfrommap, mapfromlist, translate, translateback, removeifempty, default, splitlast, joinlast, intfromstring, stringfromint };

fn run(o: cw.Object) cw.Error!void {
    try runProgram(o, "program");
    try o.remove(&.{"program"});
}

fn forth(o: cw.Object) cw.Error!void {
    try runProgram(o, "forth");
}

fn back(o: cw.Object) cw.Error!void {
    try runProgram(o, "back");
}

fn runProgram(o: cw.Object, key: []const u8) cw.Error!void {
    const gpa = o.allocator();
    var program = try o.elements(&.{key});
    while (try program.next()) |call| {
        var name: []const u8 = "";
        var object: cw.Path = &.{};
        var arguments: std.ArrayList([]const u8) = .empty;
        var pairs: std.ArrayList([2][]const u8) = .empty;
        var parts = try call.elements(&.{});
        var i: usize = 0;
        while (try parts.next()) |part| : (i += 1) {
            if (i == 0) {
                name = try part.string(&.{}) orelse "";
            } else if (i == 1) {
                object = try texts(part);
            } else if (part.typeOf() == .array) {
                const pair = try texts(part);
                try pairs.append(gpa, .{ pair[0], pair[1] });
            } else {
                try arguments.append(gpa, try part.string(&.{}) orelse "");
            }
        }
        try apply(o, std.meta.stringToEnum(Name, name) orelse continue, object, arguments.items, pairs.items);
    }
}

fn apply(o: cw.Object, name: Name, object: cw.Path, arguments: cw.Path, pairs: cw.Enum) cw.Error!void {
    const path = try below(o, object, arguments[0]);
    const rest = arguments[1..];
    const value: ?[]const u8 = if (rest.len > 1 and rest[1].len > 0) rest[1] else null;
    var others: std.ArrayList(cw.Path) = .empty;
    if (rest.len > 1) for (rest[1..]) |key| try others.append(o.allocator(), try below(o, object, key));
    switch (name) {
        .split => _ = try o.split(path, rest[0], others.items),
        .join => if (!try o.join(path, rest[0], others.items)) try o.set(&.{"joined"}, false),
        .splitlast => _ = try o.splitLast(path, rest[0], others.items),
        .joinlast => if (!try o.joinLast(path, rest[0], others.items)) try o.set(&.{"joined"}, false),
        .intfromstring => _ = try o.intFromString(path),
        .stringfromint => _ = try o.stringFromInt(path),
        .splitlist => _ = try o.splitList(path, rest[0]),
        .joinlist => _ = try o.joinList(path, rest[0]),
        .listfrommap => _ = try o.listFromMap(path, rest[0], value),
        .mapfromlist => _ = try o.mapFromList(path, rest[0], value),
        .translate => if (!try o.translate(path, pairs)) try o.set(&.{"translated"}, false),
        .translateback => _ = try o.translateBack(path, pairs),
        .removeifempty => try o.removeIfEmpty(path),
        .default => _ = try o.setDefault(path, cw.Raw{ .text = rest[0] }),
    }
}

fn below(o: cw.Object, object: cw.Path, key: []const u8) cw.Error!cw.Path {
    return std.mem.concat(o.allocator(), []const u8, &.{ object, &.{key} });
}

/// Returns the strings in an array.
fn texts(v: cw.Value) cw.Error!cw.Path {
    var list: std.ArrayList([]const u8) = .empty;
    var elements = try v.elements(&.{});
    while (try elements.next()) |e| try list.append(v.allocator(), try e.string(&.{}) orelse "");
    return list.items;
}

test "vectors" {
    try cw.testing.run(module, @embedFile("vectors"));
}
