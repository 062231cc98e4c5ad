//! The vectors of the stash that the SDKs of all languages share.

const std = @import("std");
const Arena = @import("Arena.zig");
const Document = @import("Document.zig");
const Stash = @import("Stash.zig");
const Value = @import("Value.zig");
const hash = @import("hash.zig").hash;
const lossless = @import("lossless.zig").lossless;
const Module = @import("module.zig").Module;
const pointers = @import("pointer.zig");

test "hashes and pointers" {
    var arena: Arena = .init(std.testing.allocator);
    defer arena.deinit();
    const gpa = arena.allocator();
    const vectors = (try Document.init(&arena, @embedFile("stash_vectors"))).value();
    var count: usize = 0;
    var list = try vectors.elements(&.{"hash"});
    while (try list.next()) |vector| : (count += 1) {
        const o = (try Document.init(&arena, (try vector.string(&.{"json"})).?)).value();
        const got = try std.fmt.allocPrint(gpa, "{x:0>16}", .{try hash(o)});
        try std.testing.expectEqualStrings((try vector.string(&.{"hash"})).?, got);
    }
    list = try vectors.elements(&.{"for"});
    while (try list.next()) |vector| {
        var hashes = try vector.elements(&.{"hashes"});
        while (try hashes.next()) |want| : (count += 1) {
            const o = (try Document.init(&arena, (try vector.string(&.{"json"})).?)).value();
            const taken: ?[]const u8 = if (try want.get(&.{"for"})) |taken| try taken.json() else null;
            const got = try std.fmt.allocPrint(gpa, "{x:0>16}", .{(try Stash.hashFor(o, taken)).?});
            try std.testing.expectEqualStrings((try want.string(&.{"hash"})).?, got);
        }
    }
    list = try vectors.elements(&.{"pointer"});
    while (try list.next()) |vector| : (count += 1) {
        var pointer: std.ArrayList(u8) = .empty;
        var rest = (try vector.string(&.{"pointer"})).?;
        var keys = try vector.elements(&.{"keys"});
        while (try keys.next()) |key| {
            try pointers.appendToken(&pointer, gpa, (try key.string(&.{})).?);
            const token = (try pointers.cutToken(gpa, rest)).?;
            try std.testing.expectEqualStrings((try key.string(&.{})).?, token.key);
            rest = token.rest;
        }
        try std.testing.expectEqualStrings((try vector.string(&.{"pointer"})).?, pointer.items);
        try std.testing.expectEqualStrings("", rest);
    }
    try std.testing.expect(count > 50);
}

fn down(o: Value) Value.Error!void {
    try o.rename(&.{ "spec", "replicas" }, "size");
    var hosts = try o.elements(&.{ "spec", "hosts" });
    while (try hosts.next()) |host| try host.remove(&.{"port"});
    try o.remove(&.{ "spec", "tls" });
}

fn up(o: Value) Value.Error!void {
    try o.rename(&.{ "spec", "size" }, "replicas");
    if (try o.get(&.{ "spec", "policy" }) == null) try o.set(&.{ "spec", "policy" }, "invented");
}

test "lossless" {
    const m: Module = .{ .name = "lossless", .version = "1", .conversions = &.{
        .{ .from = "e.g/new", .to = "e.g/old", .convert = lossless(down, up) },
        .{ .from = "e.g/old", .to = "e.g/new", .convert = lossless(up, down) },
    } };
    for ([_][2][]const u8{
        .{ "\"metadata\":{},\"spec\":{\"policy\":\"p\",\"hosts\":[{\"n\":1,\"port\":2},{\"n\":3}],\"tls\":{\"a\":1}}}", "\\\"set\\\":{\\\"/spec/hosts/0/port\\\":2,\\\"/spec/tls\\\":{\\\"a\\\":1}}" },
        .{ "\"metadata\":{},\"spec\":{\"replicas\":1}}", "\\\"gone\\\":[\\\"/spec/policy\\\"]" },
        .{ "\"metadata\":{}}", "\\\"gone\\\":[\\\"/spec\\\"]" },
    }) |case| {
        const gpa = std.testing.allocator;
        var arena: Arena = .init(gpa);
        defer arena.deinit();
        const new = try std.mem.concat(gpa, u8, &.{ "{\"apiVersion\":\"e.g/new\",", case[0] });
        defer gpa.free(new);
        var old: std.ArrayList(u8) = .empty;
        defer old.deinit(gpa);
        var back: std.ArrayList(u8) = .empty;
        defer back.deinit(gpa);
        try m.convert(&arena, new, "e.g/old", &old, gpa);
        try std.testing.expect(std.mem.find(u8, old.items, case[1]) != null);
        try m.convert(&arena, old.items, "e.g/new", &back, gpa);
        try std.testing.expectEqual(new.len, back.items.len); // members may have other places
    }
}
