//! Does what the object says in .spec.do: it refuses, panics or uses up its memory. The same module in every language lets a test see that
//! a crash is a crash in all of them.

const std = @import("std");
const cw = @import("crosswalk");

const module: cw.Module = .{
    .name = "crashes",
    .version = "1.0.0",
    .conversions = &.{.{ .from = "example.com/v1", .to = "example.com/v2", .convert = run }},
};

comptime {
    cw.serve(module);
}

pub const panic = cw.panic;

fn run(o: cw.Object) cw.Error!void {
    const what = try o.string(&.{ "spec", "do" }) orelse return;
    if (std.mem.eql(u8, what, "refuse")) return o.refuse("not today", .{});
    if (std.mem.eql(u8, what, "silent")) return o.refuse("", .{});
    if (std.mem.eql(u8, what, "crash")) @panic("no such field");
    while (std.mem.eql(u8, what, "memory")) {
        const held = try o.allocator().alloc(u8, 64 << 10);
        held[0] = 1;
    }
}
