//! Declared fields in tests: what a module sees of an object, and whether it makes of that what it makes of the whole.

const std = @import("std");
const Arena = @import("Arena.zig");
const Document = @import("Document.zig");
const Value = @import("Value.zig");
const keyed = @import("keyed.zig");
const text_of = @import("text.zig");
const Module = @import("module.zig").Module;
const Error = Value.Error;
const List = std.ArrayList(u8);
const Paths = []const []const u8;

/// What became of an object: the text of the object that it was converted to, or of the refusal.
pub const Answer = struct { refused: bool, text: []const u8 };

/// Converts one object; the answer belongs to gpa.
pub fn convert(module: Module, gpa: std.mem.Allocator, object: []const u8, desired: []const u8) Error!Answer {
    var arena: Arena = .init(gpa);
    defer arena.deinit();
    var out: List = .empty;
    var refused = false;
    module.convert(&arena, object, desired, &out, gpa) catch |err| switch (err) {
        error.Refused => refused = true,
        error.OutOfMemory => return err,
    };
    return .{ .refused = refused, .text = out.items };
}

/// Says how what becomes of an object of which only the declared fields are shown differs from what becomes of the whole, which
/// is given; null if it does not.
pub fn undeclared(module: Module, object: Value, desired: []const u8, whole: Answer) Error!?[]const u8 {
    const gpa = object.allocator();
    const from = try object.string(&.{"apiVersion"}) orelse "";
    if (module.fields.len == 0 or std.mem.eql(u8, from, desired)) return null;
    // Hashes in a stash are those of what the converter saw: one that was kept of a part is stale for the whole, and the other way
    // round.
    if (try object.get(&.{ "metadata", "annotations" })) |annotations| {
        var members = try annotations.members(&.{});
        while (try members.next()) |member| if (isStash(member.key)) return null;
    }
    var paths: std.ArrayList([]const u8) = .empty;
    try paths.appendSlice(gpa, &.{ "apiVersion", "kind" });
    for (module.fields) |declared| {
        if (!std.mem.eql(u8, declared.version, from) and !std.mem.eql(u8, declared.version, desired)) continue;
        try paths.appendSlice(gpa, declared.paths);
    }
    const answer = try convert(module, gpa, try part(object, paths.items, true), desired);
    if (answer.refused and whole.refused) {
        if (std.mem.eql(u8, answer.text, whole.text)) return null;
        return "is refused with other words when its declared fields alone are shown";
    }
    if (answer.refused) return "is refused when its declared fields alone are shown";
    if (whole.refused) return "is refused only when all of it is shown";
    const a = try object.parse(answer.text) orelse return "becomes no JSON";
    const w = try object.parse(whole.text) orelse return "becomes no JSON";
    if (!try empty(try partOf(a, paths.items, false))) return "has a field written that is not declared";
    if (!try alike(try partOf(a, paths.items, true), try partOf(w, paths.items, true))) return "has a field read that is not declared";
    if (!try alike(try partOf(object, paths.items, false), try partOf(w, paths.items, false))) return "has a field changed that is not declared";
    return null;
}

fn partOf(v: Value, paths: Paths, declared: bool) Error!Value {
    return (try Document.init(v.d.arena, try part(v, paths, declared))).value();
}

fn part(v: Value, paths: Paths, declared: bool) Error![]const u8 {
    var out: List = .empty;
    try addPart(&out, v, paths, declared);
    return out.items;
}

/// Appends what is declared of a value, as the gateway shows it; or all else.
fn addPart(out: *List, v: Value, paths: Paths, declared: bool) Error!void {
    const gpa = v.allocator();
    var whole = false;
    var inside: std.ArrayList([]const u8) = .empty;
    for (paths) |path| {
        if (path.len == 0) whole = true;
        if (std.mem.cutPrefix(u8, path, "[]")) |rest| try inside.append(gpa, rest);
    }
    const kind = v.typeOf();
    if (!whole and kind == .object and inside.items.len < paths.len) {
        try out.append(gpa, '{');
        var members = try v.members(&.{});
        while (try members.next()) |member| {
            var rest: std.ArrayList([]const u8) = .empty;
            for (paths) |path| if (try step(gpa, path, member.key)) |left| try rest.append(gpa, left);
            if (declared and rest.items.len == 0) continue;
            try keyed.separate(out, gpa);
            try text_of.quote(out, gpa, member.key);
            try out.append(gpa, ':');
            try addPart(out, member.value, rest.items, declared);
        }
        try out.append(gpa, '}');
    } else if (!whole and kind == .array and inside.items.len > 0) {
        try out.append(gpa, '[');
        var elements = try v.elements(&.{});
        while (try elements.next()) |element| {
            try keyed.separate(out, gpa);
            try addPart(out, element, inside.items, declared);
        }
        try out.append(gpa, ']');
    } else if (whole == declared) {
        try out.appendSlice(gpa, try v.json());
    } else {
        try out.appendSlice(gpa, if (whole) "null" else switch (kind) { // an empty value of the type
            .object => "{}",
            .array => "[]",
            .string => "\"\"",
            .number => "0",
            .bool => "false",
            .null, .invalid => "null",
        });
    }
}

/// Takes one step off a path if it leads to the member, and returns the rest.
fn step(gpa: std.mem.Allocator, path: []const u8, key: []const u8) Error!?[]const u8 {
    if (std.mem.cutPrefix(u8, path, ".*")) |rest| return rest;
    if (path.len < 2 or path[0] != '[') {
        const plain = std.mem.cutPrefix(u8, path, ".") orelse path;
        const end = std.mem.findAny(u8, plain, ".[") orelse plain.len;
        return if (std.mem.eql(u8, plain[0..end], key)) plain[end..] else null;
    }
    const quote = path[1];
    if (quote != '\'' and quote != '"') return null;
    var name: List = .empty;
    var i: usize = 2;
    while (i < path.len and path[i] != quote) : (i += 1) {
        if (path[i] == '\\' and i + 1 < path.len) i += 1;
        try name.append(gpa, path[i]);
    }
    return if (i + 1 < path.len and std.mem.eql(u8, name.items, key)) path[i + 2 ..] else null;
}

fn isStash(key: []const u8) bool {
    return std.mem.startsWith(u8, key, "conversion.") and std.mem.endsWith(u8, key, "/stash");
}

/// Says that there is nothing in a value: null, or an object in which there is nothing but a stash.
fn empty(v: Value) Error!bool {
    if (v.typeOf() != .object) return v.typeOf() == .null;
    var members = try v.members(&.{});
    while (try members.next()) |member| if (!isStash(member.key) and !try empty(member.value)) return false;
    return true;
}

/// Compares values; what is empty may be left out.
fn alike(a: Value, b: Value) Error!bool {
    if (try empty(a) or try empty(b)) return try empty(a) and try empty(b);
    if (a.typeOf() != b.typeOf()) return false;
    switch (a.typeOf()) {
        .object => return try within(a, b) and try within(b, a),
        .array => {
            var x = try a.elements(&.{});
            var y = try b.elements(&.{});
            if (try x.count() != try y.count()) return false;
            while (try x.next()) |element| if (!try alike(element, (try y.next()).?)) return false;
            return true;
        },
        .string => return std.mem.eql(u8, (try a.string(&.{})).?, (try b.string(&.{})).?),
        else => return std.mem.eql(u8, try a.json(), try b.json()),
    }
}

fn within(a: Value, b: Value) Error!bool {
    var members = try a.members(&.{});
    while (try members.next()) |member| {
        if (isStash(member.key) or try empty(member.value)) continue;
        const other = (try b.lookup(&.{member.key})).value orelse return false;
        if (!try alike(member.value, other)) return false;
    }
    return true;
}

fn run(o: Value) Error!void {
    const Kind = enum { Renames, Reads, Writes, Changes, Refuses, Insists, Asks };
    const c = try o.get(&.{"c"}) != null;
    switch (std.meta.stringToEnum(Kind, try o.string(&.{"kind"}) orelse "") orelse return) {
        .Renames => try o.rename(&.{"a"}, "b"),
        .Reads => if (c) try o.set(&.{"b"}, true),
        .Writes => try o.set(&.{"c"}, true),
        .Changes => try o.remove(&.{"c"}),
        .Refuses => if (c) return o.refuse("there is a c", .{}),
        .Insists => if (!c) return o.refuse("there is no c", .{}),
        .Asks => return o.refuse("there is a c: {}", .{c}),
    }
}

test "what is not declared" {
    const module: Module = .{
        .name = "declared",
        .version = "1",
        .conversions = &.{.{ .from = "g/v1", .to = "g/v2", .convert = run }},
        .fields = &.{
            .{ .version = "g/v1", .paths = &.{ "a", "metadata.name" } },
            .{ .version = "g/v2", .paths = &.{"b"} },
        },
    };
    for ([_]struct { []const u8, ?[]const u8 }{
        .{ "Renames", null },
        .{ "Reads", "has a field read that is not declared" },
        .{ "Writes", "has a field written that is not declared" },
        .{ "Changes", "has a field changed that is not declared" },
        .{ "Refuses", "is refused only when all of it is shown" },
        .{ "Insists", "is refused when its declared fields alone are shown" },
        .{ "Asks", "is refused with other words when its declared fields alone are shown" },
    }) |case| {
        var arena: Arena = .init(std.testing.allocator);
        defer arena.deinit();
        const gpa = arena.allocator();
        const object = try std.fmt.allocPrint(gpa, "{{\"apiVersion\":\"g/v1\",\"kind\":\"{s}\",\"a\":[1],\"c\":1}}", .{case[0]});
        const o = (try Document.init(&arena, object)).value();
        const why = try undeclared(module, o, "g/v2", try convert(module, gpa, object, "g/v2"));
        if (case[1]) |want| try std.testing.expectEqualStrings(want, why orelse "nothing") else try std.testing.expectEqual(null, why);
        var description: List = .empty;
        try module.describe(&description, gpa);
        try std.testing.expect(std.mem.endsWith(u8, description.items, ",\"fields\":{\"v1\":[\"a\",\"metadata.name\"],\"v2\":[\"b\"]}}"));
    }
}

fn needDefault(o: Value) Error!void {
    _ = try o.setDefault(&.{"a"}, 1);
}

fn needStash(o: Value) Error!void {
    _ = try o.stash(&.{"a"});
}

fn needRestore(o: Value) Error!void {
    try o.restore();
}

// What helpers need is declared too, or the object refused.
test "what is needed" {
    const uid = "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (.fields)";
    const stash = "the module declares fields, and keeps a stash: it has to declare metadata.annotations['conversion.g/stash'] too (.fields)";
    const bare = [_][]const u8{ "a", "metadata.name" };
    const full = [_][]const u8{ "a", "metadata.uid", "metadata.annotations[\"conversion.g/stash\"]" };
    const object = "{\"apiVersion\":\"g/v1\",\"metadata\":{},\"a\":1,\"b\":2}";
    inline for (.{ .{ needDefault, uid }, .{ needStash, stash }, .{ needRestore, stash } }) |case| {
        for ([_]struct { []const []const u8, []const u8 }{ .{ &bare, case[1] }, .{ &full, "" } }) |declared| {
            var arena: Arena = .init(std.testing.allocator);
            defer arena.deinit();
            const module: Module = .{
                .name = "needs",
                .version = "1",
                .conversions = &.{.{ .from = "g/v1", .to = "g/v2", .convert = case[0] }},
                .fields = &.{.{ .version = "g/v1", .paths = declared[0] }},
            };
            const got = try convert(module, arena.allocator(), object, "g/v2");
            try std.testing.expectEqualStrings(declared[1], if (got.refused) got.text else "");
            if (got.refused) continue;
            const o = (try Document.init(&arena, object)).value(); // the hashes of part and whole differ
            try std.testing.expectEqual(null, try undeclared(module, o, "g/v2", got));
        }
    }
}

test "what is shown" {
    const object =
        \\{"l":[{"a":1,"b":2},"x",null],"m":{"k":{"a":1,"b":2}},"s":"secret","é'\"":{"f":1,"g":2}}
    ;
    for ([_]struct { []const u8, []const u8, []const u8 }{
        .{
            "l[].a", "{\"l\":[{\"a\":1},\"\",null]}",
            \\{"l":[{"b":2},"x",null],"m":{"k":{"a":1,"b":2}},"s":"secret","é'\"":{"f":1,"g":2}}
        },
        .{
            "m.*.a", "{\"m\":{\"k\":{\"a\":1}}}",
            \\{"l":[{"a":1,"b":2},"x",null],"m":{"k":{"b":2}},"s":"secret","é'\"":{"f":1,"g":2}}
        },
        .{ "s.x", "{\"s\":\"\"}", object },
        .{
            "['é\\'\"'].f",
            "{\"é'\\\"\":{\"f\":1}}",
            \\{"l":[{"a":1,"b":2},"x",null],"m":{"k":{"a":1,"b":2}},"s":"secret","é'\"":{"g":2}}
        },
    }) |case| {
        var arena: Arena = .init(std.testing.allocator);
        defer arena.deinit();
        const o = (try Document.init(&arena, object)).value();
        try std.testing.expectEqualStrings(case[1], try part(o, &.{case[0]}, true));
        const rest = (try Document.init(&arena, case[2])).value();
        try std.testing.expect(try alike(try partOf(o, &.{case[0]}, false), rest));
    }
}
