//! Tests a module natively, with the golden cases that its WebAssembly form is tested with as well:
//!
//!     test "golden cases" {
//!         try cw.testing.run(module, @embedFile("build/vectors.json"));
//!     }

const std = @import("std");
const Arena = @import("Arena.zig");
const Document = @import("Document.zig");
const Value = @import("Value.zig");
const declared = @import("declared.zig");
const Module = @import("module.zig").Module;
const text_of = @import("text.zig");
const Error = Document.Error;

/// Runs vectors, a JSON list of {"name", "desiredAPIVersion", "objects", "want" | "wantError"}, and checks what the gateway takes
/// for granted: that converting an object twice gives the same. want is compared as JSON: white space and the order of members
/// do not matter, but numbers must be written alike; wantError is the exact text of the first refusal. Of a module that
/// declares its fields, it also finds what it reads or writes without declaring it. What is wrong is printed.
pub fn run(module: Module, vectors: []const u8) !void {
    var arena: Arena = .init(std.testing.allocator);
    defer arena.deinit();
    const json = text_of.validJson(vectors) orelse return error.VectorsAreNoJson;
    var list = try (try Document.init(&arena, json)).value().elements(&.{});
    var failed: usize = 0;
    var count: usize = 0;
    while (try list.next()) |vector| : (count += 1) {
        const name = try vector.string(&.{"name"}) orelse return error.VectorWithoutName;
        if (try check(module, vector)) |why| {
            std.debug.print("\n{s}: {s}\n", .{ name, why });
            failed += 1;
        }
    }
    if (count == 0) return error.NoVectors;
    if (failed > 0) return error.VectorsFailed;
}

/// Returns why a vector fails; null if it does not.
fn check(module: Module, vector: Value) !?[]const u8 {
    const gpa = vector.allocator();
    var fields = try vector.members(&.{});
    while (try fields.next()) |field| {
        for ([_][]const u8{ "name", "desiredAPIVersion", "objects", "want", "wantError" }) |known| {
            if (std.mem.eql(u8, field.key, known)) break;
        } else return try std.fmt.allocPrint(gpa, "{s} is not a field of a vector", .{field.key});
    }
    const desired = try vector.string(&.{"desiredAPIVersion"}) orelse return "it has no desiredAPIVersion";
    const want_error = try vector.string(&.{"wantError"});
    var objects = try vector.elements(&.{"objects"});
    var wants = try vector.elements(&.{"want"});
    const complete = wants.container != null and try wants.count() == try objects.count();
    if ((want_error != null) == (wants.container != null) or want_error == null and !complete) {
        return "it needs either wantError or a list want with one answer for each object";
    }
    var i: usize = 0;
    while (try objects.next()) |object| : (i += 1) {
        const text = try object.json();
        const got = try declared.convert(module, gpa, text, desired);
        const again = try declared.convert(module, gpa, text, desired);
        if (got.refused != again.refused or !std.mem.eql(u8, got.text, again.text)) {
            return try std.fmt.allocPrint(gpa, "object {d} is converted differently the second time", .{i});
        }
        if (try declared.undeclared(module, object, desired, got)) |why| return try std.fmt.allocPrint(gpa, "object {d} {s}", .{ i, why });
        const want = try wants.next();
        if (want_error) |message| {
            if (!got.refused) continue;
            if (std.mem.eql(u8, got.text, message)) return null;
            return try std.fmt.allocPrint(gpa, "object {d} was refused with\n\t{s}\nbut should have been with\n\t{s}", .{ i, got.text, message });
        }
        if (got.refused) return try std.fmt.allocPrint(gpa, "object {d} was refused: {s}", .{ i, got.text });
        const answer = try vector.parse(got.text);
        if (answer == null or !try equal(answer.?, want.?)) {
            return try std.fmt.allocPrint(gpa, "object {d} became\n\t{s}\nbut should be\n\t{s}", .{ i, got.text, try want.?.json() });
        }
    }
    if (want_error) |message| return try std.fmt.allocPrint(gpa, "no object was refused, but one should have been with\n\t{s}", .{message});
    return null;
}

fn equal(a: Value, b: Value) Error!bool {
    const kind = a.typeOf();
    if (kind != b.typeOf()) return false;
    switch (kind) {
        .object => {
            var members = try a.members(&.{});
            var count: usize = 0;
            while (try members.next()) |member| : (count += 1) {
                const other = (try b.lookup(&.{member.key})).value orelse return false;
                if (!try equal(member.value, other)) return false;
            }
            members = try b.members(&.{});
            while (try members.next()) |_| count -= 1;
            return count == 0;
        },
        .array => {
            var x = try a.elements(&.{});
            var y = try b.elements(&.{});
            if (try x.count() != try y.count()) return false;
            while (try x.next()) |element| if (!try equal(element, (try y.next()).?)) return false;
            return true;
        },
        .string => return std.mem.eql(u8, (try a.string(&.{})).?, (try b.string(&.{})).?),
        else => return std.mem.eql(u8, try a.json(), try b.json()),
    }
}
