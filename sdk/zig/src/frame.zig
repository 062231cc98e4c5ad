//! Request and response frames of docs/spec/abi.md.

const std = @import("std");
const Arena = @import("Arena.zig");
const Module = @import("module.zig").Module;
const Value = @import("Value.zig");

/// Answers a request frame with a response frame. Where a converter runs out of memory, the response ends with a crash.
pub fn answer(m: Module, request: []const u8, arena: *Arena, out: *std.ArrayList(u8), gpa: std.mem.Allocator) error{ Malformed, OutOfMemory }!void {
    var rest = request;
    const count = try takeInt(&rest);
    const desired = try takeBytes(&rest);
    try out.ensureUnusedCapacity(gpa, request.len / 4 * 3 + 64);
    for (0..count) |_| {
        const object = try takeBytes(&rest);
        const head = out.items.len;
        try out.appendNTimes(gpa, 0, 8);
        arena.reset();
        m.convert(arena, object, desired, out, gpa) catch |err| switch (err) {
            error.Refused => out.items[head] = 1,
            error.OutOfMemory => {
                out.items.len = head + 8;
                out.items[head] = 2;
                try out.appendSlice(gpa, out_of_memory);
                std.mem.writeInt(u32, out.items[head + 4 ..][0..4], out_of_memory.len, .little);
                return;
            },
        };
        std.mem.writeInt(u32, out.items[head + 4 ..][0..4], @intCast(out.items.len - head - 8), .little);
    }
    if (rest.len > 0) return error.Malformed;
}

const out_of_memory = "the converter ran out of memory";

fn takeInt(rest: *[]const u8) error{Malformed}!u32 {
    if (rest.len < 4) return error.Malformed;
    defer rest.* = rest.*[4..];
    return std.mem.readInt(u32, rest.*[0..4], .little);
}

fn takeBytes(rest: *[]const u8) error{Malformed}![]const u8 {
    const len = try takeInt(rest);
    if (rest.len < len) return error.Malformed;
    defer rest.* = rest.*[len..];
    return rest.*[0..len];
}

fn refuseSome(o: Value) Value.Error!void {
    if (try o.string(&.{"why"})) |why| return o.refuse("because {s}", .{why});
}

fn exhaust(o: Value) Value.Error!void {
    if (try o.string(&.{"why"})) |_| return error.OutOfMemory;
}

test "a converter that runs out of memory has crashed, which ends the response" {
    const gpa = std.testing.allocator;
    const m: Module = .{ .name = "frames", .version = "1", .conversions = &.{.{ .from = "g/v1", .to = "g/v2", .convert = exhaust }} };
    var request: std.ArrayList(u8) = .empty;
    defer request.deinit(gpa);
    try request.appendSlice(gpa, &.{ 3, 0, 0, 0 });
    for ([_][]const u8{ "g/v2", "{\"apiVersion\":\"g/v1\"}", "{\"apiVersion\":\"g/v1\",\"why\":\"\"}", "{\"apiVersion\":\"g/v1\"}" }) |part| {
        try request.appendSlice(gpa, &std.mem.toBytes(std.mem.nativeToLittle(u32, @intCast(part.len))));
        try request.appendSlice(gpa, part);
    }
    var arena: Arena = .init(gpa);
    defer arena.deinit();
    var out: std.ArrayList(u8) = .empty;
    defer out.deinit(gpa);
    try answer(m, request.items, &arena, &out, gpa);
    try std.testing.expectEqualStrings("\x00\x00\x00\x00\x15\x00\x00\x00{\"apiVersion\":\"g/v2\"}\x02\x00\x00\x00\x1f\x00\x00\x00the converter ran out of memory", out.items);
}

test "answers each object, and no malformed frame" {
    const gpa = std.testing.allocator;
    const m: Module = .{ .name = "frames", .version = "1", .conversions = &.{.{ .from = "g/v1", .to = "g/v2", .convert = refuseSome }} };
    var request: std.ArrayList(u8) = .empty;
    defer request.deinit(gpa);
    try request.appendSlice(gpa, &.{ 2, 0, 0, 0 });
    for ([_][]const u8{ "g/v2", "{\"apiVersion\":\"g/v1\"}", "{\"apiVersion\":\"g/v1\",\"why\":\"é\"}" }) |part| {
        try request.appendSlice(gpa, &std.mem.toBytes(std.mem.nativeToLittle(u32, @intCast(part.len))));
        try request.appendSlice(gpa, part);
    }
    var arena: Arena = .init(gpa);
    defer arena.deinit();
    var out: std.ArrayList(u8) = .empty;
    defer out.deinit(gpa);
    try answer(m, request.items, &arena, &out, gpa);
    try std.testing.expectEqualStrings("\x00\x00\x00\x00\x15\x00\x00\x00{\"apiVersion\":\"g/v2\"}\x01\x00\x00\x00\x0a\x00\x00\x00because é", out.items);
    for (0..request.items.len) |len| {
        try std.testing.expectError(error.Malformed, answer(m, request.items[0..len], &arena, &out, gpa));
    }
    try request.append(gpa, 0);
    try std.testing.expectError(error.Malformed, answer(m, request.items, &arena, &out, gpa));
}
