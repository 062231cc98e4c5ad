const std = @import("std");
const builtin = @import("builtin");

/// The severity of a log line.
pub const Level = enum(u32) { debug, info, warn, err };

/// Writes a line to the gateway's log, natively to standard error. The gateway limits the amount
/// that a module may log. The kubectl user does not see the log: put information for them in a
/// refusal.
pub fn line(level: Level, text: []const u8) void {
    if (builtin.cpu.arch.isWasm()) {
        host.log(@backingInt(level), text.ptr, text.len);
    } else {
        std.debug.print("{t} {s}\n", .{ level, text });
    }
}

const host = struct {
    extern "crosswalk_v1" fn log(level: u32, at: [*]const u8, len: usize) void;
};

/// A panic handler that tells the gateway's log why the module traps. The root file has it: `pub const panic = cw.panic;`.
pub const panic = std.debug.FullPanic(panicked);

fn panicked(message: []const u8, _: ?usize) noreturn {
    line(.err, message);
    @trap();
}
