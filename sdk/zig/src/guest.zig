//! What the gateway calls: docs/spec/abi.md.

const std = @import("std");
const builtin = @import("builtin");
const Arena = @import("Arena.zig");
const Module = @import("module.zig").Module;
const answer = @import("frame.zig").answer;

/// Exports what the gateway calls, where the target is WebAssembly: `comptime { cw.serve(module); }` in the root file.
pub fn serve(comptime module: Module) void {
    if (!builtin.cpu.arch.isWasm()) return;
    const Guest = struct {
        const gpa = std.heap.wasm_allocator;
        var request: std.ArrayList(u8) = .empty;
        var response: std.ArrayList(u8) = .empty;
        var arena: Arena = .init(gpa);

        fn abi() callconv(.c) void {}

        fn alloc(size: u32) callconv(.c) ?[*]u8 {
            request.clearRetainingCapacity();
            request.ensureTotalCapacityPrecise(gpa, @max(size, 1)) catch return null;
            request.items.len = size;
            return request.items.ptr;
        }

        fn convert(at: usize, len: u32) callconv(.c) u64 {
            if (at != @intFromPtr(request.items.ptr) or len > request.items.len) return 0;
            response.clearRetainingCapacity();
            answer(module, request.items[0..len], &arena, &response, gpa) catch |err| switch (err) {
                error.Malformed => return 0,
                error.OutOfMemory => @panic("out of memory"), // not even for the response
            };
            return pair(response.items);
        }

        fn describe() callconv(.c) u64 {
            response.clearRetainingCapacity();
            module.describe(&response, gpa) catch return 0;
            return pair(response.items);
        }

        fn pair(bytes: []const u8) u64 {
            return @as(u64, @intFromPtr(bytes.ptr)) << 32 | bytes.len;
        }
    };
    @export(&Guest.abi, .{ .name = "crosswalk_abi_v1" });
    @export(&Guest.alloc, .{ .name = "crosswalk_alloc" });
    @export(&Guest.convert, .{ .name = "crosswalk_convert" });
    @export(&Guest.describe, .{ .name = "crosswalk_describe" });
}
