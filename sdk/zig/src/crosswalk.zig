//! Converter modules for the Crosswalk gateway, in Zig.
//!
//! A converter translates the objects of one kind of custom resource from one API version to
//! another; the gateway loads it as WebAssembly and calls it when a Kubernetes API server asks for
//! a conversion. A module has one function per direction, which edits the object in place; the SDK
//! sets apiVersion. error.Refused refuses the object, and its message is shown to the kubectl user.
//!
//! Server-side apply converts fragments of objects: without metadata, without spec, with one field
//! of several. A value that is absent in the input should therefore be absent in the output, and a
//! refusal is for values that are present and wrong.
//!
//! An object is its JSON text. The SDK reads it only as far as the function asks, and copies all
//! unedited text to the output byte for byte: unknown fields, big numbers and odd escapes survive
//! because they are never decoded.

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
