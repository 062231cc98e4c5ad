const std = @import("std");
const Arena = @import("Arena.zig");
const Document = @import("Document.zig");
const Stash = @import("Stash.zig");
const Value = @import("Value.zig");
const render = @import("render.zig").render;
const text_of = @import("text.zig");
const Allocator = std.mem.Allocator;
const Error = Document.Error;
pub const Fields = @import("Fields.zig");

/// The version of this SDK.
const sdk = "crosswalk-zig/1.0.0";

/// Converts one object in place. error.Refused refuses it; make it with `return o.refuse("…", .{…})`.
pub const Converter = *const fn (o: Value) Error!void;

/// One direction between two versions.
pub const Conversion = struct {
    /// The apiVersion that objects are in: "stable.example.com/v1".
    from: []const u8,
    /// The apiVersion that they are wanted in.
    to: []const u8,
    /// The converter function. The SDK sets the object's apiVersion afterwards.
    convert: Converter,
};

/// The description, converters and declarations of a module.
pub const Module = struct {
    /// The module's name: "crontab".
    name: []const u8,
    /// Its version.
    version: []const u8,
    /// An SPDX expression: "Apache-2.0".
    licence: []const u8 = "",
    /// The URL of its source.
    source: []const u8 = "",
    /// Its conversions.
    conversions: []const Conversion,
    /// The declared fields, each version once: the gateway shows the module only these fields and
    /// lets it change only these. Without declarations, the module sees whole objects.
    fields: []const Fields = &.{},

    /// Appends the converted object to out; or, refused, the message, and returns error.Refused. On error.OutOfMemory, out is as it was.
    pub fn convert(m: Module, arena: *Arena, object: []const u8, desired: []const u8, out: *std.ArrayList(u8), gpa: Allocator) Error!void {
        const start = out.items.len;
        const d = try Document.init(arena, object);
        m.convertDocument(d, desired, out, gpa) catch |err| {
            out.items.len = start;
            if (err == error.Refused) try out.appendSlice(gpa, d.message orelse "the converter gave no reason");
            return err;
        };
    }

    fn convertDocument(m: Module, d: *Document, desired: []const u8, out: *std.ArrayList(u8), gpa: Allocator) Error!void {
        const o = d.value();
        if (o.typeOf() != .object) return o.wrong("an object");
        const version = try d.find(d.root, "apiVersion") orelse
            return d.fail(".apiVersion must say which version the object is in, but is absent", .{});
        const v: Value = .{ .d = d, .n = version };
        if (v.typeOf() != .string) return v.wrong("a string");
        const from = try v.string(&.{}) orelse "";
        if (text_of.equal(from, desired)) return out.appendSlice(gpa, d.text);
        for (m.conversions) |c| {
            if (!text_of.equal(c.from, from) or !text_of.equal(c.to, desired)) continue;
            d.conversion = .{ .from = c.from, .to = c.to };
            d.fields = m.fields;
            try c.convert(o);
            try Stash.finish(o);
            try o.set(&.{"apiVersion"}, c.to);
            try out.ensureUnusedCapacity(gpa, d.text.len + d.text.len / 4 + 64);
            _ = try render(d, d.root, out, gpa);
            return;
        }
        return m.unknown(d, from, desired);
    }

    fn unknown(m: Module, d: *Document, from: []const u8, to: []const u8) Error {
        var have: std.ArrayList(u8) = .empty;
        for (m.conversions, 0..) |c, i| {
            try have.print(d.arena.allocator(), "{s}{s} to {s}", .{ if (i > 0) ", " else "", c.from, c.to });
        }
        return d.fail("this module has no conversion from {s} to {s}; it has: {s}", .{ from, to, have.items });
    }

    /// Appends the JSON that crosswalk_describe answers.
    pub fn describe(m: Module, out: *std.ArrayList(u8), gpa: Allocator) Allocator.Error!void {
        try out.appendSlice(gpa, "{\"language\":\"zig\",\"sdk\":\"" ++ sdk ++ "\"");
        inline for (.{ "name", "version", "licence", "source" }) |field| {
            if (@field(m, field).len > 0) {
                try out.appendSlice(gpa, ",\"" ++ field ++ "\":");
                try text_of.quote(out, gpa, @field(m, field));
            }
        }
        for (m.fields, 0..) |declared, i| {
            try out.appendSlice(gpa, if (i == 0) ",\"fields\":{" else ",");
            const slash = std.mem.findScalarLast(u8, declared.version, '/');
            try text_of.quote(out, gpa, declared.version[if (slash) |at| at + 1 else 0..]);
            try out.appendSlice(gpa, ":[");
            for (declared.paths, 0..) |path, j| {
                if (j > 0) try out.append(gpa, ',');
                try text_of.quote(out, gpa, path);
            }
            try out.append(gpa, ']');
        }
        try out.appendSlice(gpa, if (m.fields.len > 0) "}}" else "}");
    }
};
