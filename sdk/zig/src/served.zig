//! The text that an API server sends for a value.

const std = @import("std");
const Document = @import("Document.zig");
const Value = @import("Value.zig");
const hash = @import("hash.zig").hash;
const Allocator = std.mem.Allocator;
const Error = Value.Error;

/// Appends a value as an API server sends it to the next conversion: without white space, with the
/// members of each object sorted by their keys, and with each number as `number` appends it.
pub fn append(out: *std.ArrayList(u8), gpa: Allocator, v: Value) Error!void {
    switch (v.typeOf()) {
        .object => {
            var sorted: std.ArrayList(Value.Member) = .empty;
            var members = try v.members(&.{});
            while (try members.next()) |member| try sorted.append(gpa, member);
            std.mem.sort(Value.Member, sorted.items, {}, before);
            try out.append(gpa, '{');
            for (sorted.items, 0..) |member, i| {
                if (i > 0) try out.append(gpa, ',');
                try out.appendSlice(gpa, member.value.n.key);
                try out.append(gpa, ':');
                try append(out, gpa, member.value);
            }
            try out.append(gpa, '}');
        },
        .array => {
            try out.append(gpa, '[');
            var elements = try v.elements(&.{});
            var i: usize = 0;
            while (try elements.next()) |element| : (i += 1) {
                if (i > 0) try out.append(gpa, ',');
                try append(out, gpa, element);
            }
            try out.append(gpa, ']');
        },
        .number => try number(out, gpa, try v.json()),
        else => try out.appendSlice(gpa, try v.json()),
    }
}

fn before(_: void, a: Value.Member, b: Value.Member) bool {
    return std.mem.order(u8, a.key, b.key) == .lt;
}

/// Appends a number as an API server writes it: an integer of 64 bits as it is, every other number
/// as the shortest text of the nearest f64, and -0 as 0. A number beyond f64, which the gateway
/// refuses, stays as it is.
pub fn number(out: *std.ArrayList(u8), gpa: Allocator, text: []const u8) Error!void {
    const integer = if (std.fmt.parseInt(i64, text, 10)) |_| true else |_| false;
    if (integer and !std.mem.eql(u8, text, "-0")) return out.appendSlice(gpa, text);
    const f = std.fmt.parseFloat(f64, text) catch std.math.inf(f64);
    const size = @abs(f);
    if (size == 0) return out.append(gpa, '0');
    if (std.math.isInf(f)) return out.appendSlice(gpa, text);
    var buffer: [64]u8 = undefined; // a text has at most 25 bytes
    if (size >= 1e-6 and size < 1e21) {
        return out.appendSlice(gpa, std.fmt.float.render(&buffer, f, .{ .mode = .decimal }) catch unreachable);
    }
    const written = std.fmt.float.render(&buffer, f, .{ .mode = .scientific }) catch unreachable;
    const e = std.mem.findScalar(u8, written, 'e').? + 1;
    try out.appendSlice(gpa, written[0..e]);
    if (size >= 1) try out.append(gpa, '+');
    try out.appendSlice(gpa, written[e..]);
}

test "shared vectors" {
    const Arena = @import("Arena.zig");
    var arena: Arena = .init(std.testing.allocator);
    defer arena.deinit();
    const gpa = arena.allocator();
    const vectors = (try Document.init(&arena, @embedFile("stash_vectors"))).value();
    var count: usize = 0;
    var list = try vectors.elements(&.{"served"});
    while (try list.next()) |vector| : (count += 1) {
        const v = (try Document.init(&arena, (try vector.string(&.{"json"})).?)).value();
        const want = (try vector.string(&.{"served"})).?;
        var got: std.ArrayList(u8) = .empty;
        try append(&got, gpa, v);
        try std.testing.expectEqualStrings(want, got.items);
        try std.testing.expectEqual(try hash((try Document.init(&arena, want)).value()), try hash(v));
    }
    try std.testing.expect(count > 50);
}
