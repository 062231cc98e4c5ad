//! The fields that a module reads and writes of objects in a version. A path leads to a value, which is declared with all that is in it: names
//! and dots, ['any name'], [] for every element of a list, .* for every member of an object. docs/spec/abi.md of the gateway has the
//! rules. A list whose elements the module adds, removes or sorts must be declared as a whole. What tells a fragment,
//! for defaults, is metadata.uid, and a stash is in metadata.annotations['conversion.<group>/stash']: a module that uses them declares
//! them, or its objects are refused.

const std = @import("std");
const Fields = @This();

/// The apiVersion.
version: []const u8,
/// "spec.size", "spec.disks[].name", "metadata.annotations['example.com/kept']".
paths: []const []const u8 = &.{},

/// Says that one of the paths is declared for a conversion, as it is written here, or that everything is shown.
pub fn shown(declared: []const Fields, from: []const u8, to: []const u8, paths: []const []const u8) bool {
    for (declared) |f| {
        if (!std.mem.eql(u8, f.version, from) and !std.mem.eql(u8, f.version, to)) continue;
        for (f.paths) |have| for (paths) |path| if (std.mem.eql(u8, have, path)) return true;
    }
    return declared.len == 0;
}
