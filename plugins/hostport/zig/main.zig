//! Converts CronTab.example.com between v1beta1, which has hostPort, and v1, which has host and port. It is the example of
//! Kubernetes' own conformance test for conversion webhooks.

const std = @import("std");
const cw = @import("crosswalk");

const v1beta1 = "example.com/v1beta1";
const v1 = "example.com/v1";

const module: cw.Module = .{
    .name = "hostport",
    .version = "1.0.0",
    .licence = "Apache-2.0",
    .conversions = &.{
        .{ .from = v1beta1, .to = v1, .convert = split },
        .{ .from = v1, .to = v1beta1, .convert = join },
    },
};

comptime {
    cw.serve(module);
}

pub const panic = cw.panic;

fn split(o: cw.Object) cw.Error!void {
    const text = try o.string(&.{"hostPort"}) orelse "";
    if (text.len > 0) {
        const host, const port = cut(text) orelse
            return o.refuse(".hostPort must be \"host:port\" or \"[IPv6 address]:port\", but is {s}", .{try o.quoted(text)});
        if (host.len > 0) try o.set(&.{"host"}, host);
        if (port.len > 0) try o.set(&.{"port"}, port);
    }
    try o.remove(&.{"hostPort"});
}

/// Takes "host:port" apart. One of the two may be empty: join produces such a string for an object
/// with only one of them.
fn cut(text: []const u8) ?struct { []const u8, []const u8 } {
    const inner = std.mem.cutPrefix(u8, text, "[");
    const host, const port = std.mem.cut(u8, inner orelse text, if (inner != null) "]:" else ":") orelse return null;
    if (if (inner != null) !has(host, ":") else text.len == 1) return null;
    return if (has(host, "[]") or has(port, ":[]")) null else .{ host, port };
}

fn has(text: []const u8, any: []const u8) bool {
    return std.mem.findAny(u8, text, any) != null;
}

fn join(o: cw.Object) cw.Error!void {
    const host = try o.string(&.{"host"}) orelse "";
    const port = try o.string(&.{"port"}) orelse "";
    if (has(host, "[]")) return o.refuse(".host must be without brackets, but is {s}", .{try o.quoted(host)});
    if (has(port, ":[]")) return o.refuse(".port must be without colons and brackets, but is {s}", .{try o.quoted(port)});
    if (has(host, ":")) {
        try o.set(&.{"hostPort"}, try std.fmt.allocPrint(o.allocator(), "[{s}]:{s}", .{ host, port }));
    } else if (host.len > 0 or port.len > 0) {
        try o.set(&.{"hostPort"}, try std.fmt.allocPrint(o.allocator(), "{s}:{s}", .{ host, port }));
    }
    try o.remove(&.{"host"});
    try o.remove(&.{"port"});
}

test "vectors" {
    try cw.testing.run(module, @embedFile("vectors"));
}
