//! Converter modules for the Crosswalk gateway, in Zig.
//!
//! A converter translates the objects of one kind of custom resource from one API version to another; the gateway loads it as
//! WebAssembly and calls it when a Kubernetes API server asks for a conversion. A module has one function per direction, which
//! edits the object in place; apiVersion is set for it. error.Refused refuses the object, with a message that is what the person
//! at kubectl reads.
//!
//! Server-side apply converts fragments of objects: without metadata, without spec, with one field of several. So what is
//! absent in the input should be absent in the output, and a refusal is for what is present and wrong.
//!
//! An object is its JSON text. It is read no further than the function asks, and what the function does not touch is copied to
//! the output byte for byte: unknown fields, big numbers and odd escapes survive because nobody decodes them.

/// One value within an object. Its functions are the SDK.
pub const Value = @import("Value.zig");
/// The object that is converted, as a value.
pub const Object = Value;
pub const Path = Value.Path;
pub const Type = Value.Type;
pub const Error = Value.Error;
pub const Raw = @import("edit.zig").Raw;
pub const Enum = @import("translate.zig").Enum;

pub const Module = @import("module.zig").Module;
pub const Fields = @import("Fields.zig");
pub const Conversion = @import("module.zig").Conversion;
pub const Converter = @import("module.zig").Converter;
pub const serve = @import("guest.zig").serve;
pub const lossless = @import("lossless.zig").lossless;

pub const Level = @import("log.zig").Level;
pub const log = @import("log.zig").line;
pub const panic = @import("log.zig").panic;

pub const testing = @import("testing.zig");

test {
    _ = @import("Arena.zig");
    _ = @import("declared.zig");
    _ = @import("frame.zig");
    _ = @import("scan.zig");
    _ = @import("text.zig");
    _ = @import("stash_test.zig");
}
