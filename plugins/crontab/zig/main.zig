//! Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each of
//! its fields.

const std = @import("std");
const cw = @import("crosswalk");

const v1 = "stable.example.com/v1";
const v2 = "stable.example.com/v2";

/// The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
const partial = "conversion.stable.example.com/partial-schedule";

/// The members of a v2 spec that make up the schedule, in the order of cron.
const fields = [_][]const u8{ "min", "hour", "dayOfMonth", "month", "dayOfWeek" };

const spaces = " \t\n\x0b\x0c\r";

const module: cw.Module = .{
    .name = "crontab",
    .version = "1.0.0",
    .licence = "Apache-2.0",
    .conversions = &.{
        .{ .from = v1, .to = v2, .convert = v1ToV2 },
        .{ .from = v2, .to = v1, .convert = v2ToV1 },
    },
    .fields = &.{ // the rest of an object passes by
        .{ .version = v1, .paths = &.{ "spec.cronSpec", "metadata.annotations['" ++ partial ++ "']" } },
        .{ .version = v2, .paths = &.{ "spec.min", "spec.hour", "spec.dayOfMonth", "spec.month", "spec.dayOfWeek" } },
    },
};

comptime {
    cw.serve(module);
}

pub const panic = cw.panic;

fn v1ToV2(o: cw.Object) cw.Error!void {
    const kept = try o.annotation(partial);
    if (try o.string(&.{ "spec", "cronSpec" })) |schedule| {
        var parts: [fields.len][]const u8 = undefined;
        var count: usize = 0;
        var words = std.mem.tokenizeAny(u8, schedule, spaces);
        while (words.next()) |word| : (count += 1) {
            if (count < parts.len) parts[count] = word;
        }
        if (count != fields.len) {
            return o.refuse(".spec.cronSpec must have five fields separated by spaces, but {s} has {d}", .{ try o.quoted(schedule), count });
        }
        for (fields, parts) |field, part| try o.set(&.{ "spec", field }, part);
    } else if (kept) |text| {
        try putBack(o, text);
    }
    if (kept != null) try o.removeAnnotation(partial);
    try o.remove(&.{ "spec", "cronSpec" });
}

fn v2ToV1(o: cw.Object) cw.Error!void {
    const gpa = o.allocator();
    var schedule: std.ArrayList(u8) = .empty;
    var kept: std.ArrayList(u8) = .empty;
    var count: usize = 0;
    for (fields) |field| {
        const part = try o.string(&.{ "spec", field }) orelse continue;
        if (part.len == 0 or std.mem.findAny(u8, part, spaces) != null) {
            return o.refuse(".spec.{s} must be one field of a cron schedule, without spaces, but is {s}", .{ field, try o.quoted(part) });
        }
        const space = if (count > 0) " " else "";
        try schedule.print(gpa, "{s}{s}", .{ space, part });
        try kept.print(gpa, "{s}{s}={s}", .{ space, field, part });
        count += 1;
    }
    if (count == fields.len) try o.set(&.{ "spec", "cronSpec" }, schedule.items);
    if (count == fields.len or count == 0) try o.removeAnnotation(partial) else try o.setAnnotation(partial, kept.items);
    for (fields) |field| try o.remove(&.{ "spec", field });
}

/// Puts back what v2ToV1 kept in the annotation.
fn putBack(o: cw.Object, kept: []const u8) cw.Error!void {
    var words = std.mem.tokenizeAny(u8, kept, spaces);
    while (words.next()) |word| {
        const field, const value = std.mem.cutScalar(u8, word, '=') orelse .{ "", "" };
        const known = for (fields) |name| {
            if (std.mem.eql(u8, name, field)) break true;
        } else false;
        if (!known or value.len == 0) return o.refuse("{s} must be like \"min=0 hour=3\", but is {s}", .{
            try o.location(&.{ "metadata", "annotations", partial }), try o.quoted(kept),
        });
        try o.set(&.{ "spec", field }, value);
    }
}

test "vectors" {
    try cw.testing.run(module, @embedFile("vectors"));
}
