//! Labels and annotations, the only metadata whose changes reach the API server. These functions are the object's, whichever of
//! its values they are called with.

const Fields = @import("Fields.zig");
const Value = @import("Value.zig");
const Error = Value.Error;

/// Returns the label; null if it is absent or not a string.
pub fn label(o: Value, key: []const u8) Error!?[]const u8 {
    return entry(o, "labels", key);
}

/// Sets a label.
pub fn setLabel(o: Value, key: []const u8, text: []const u8) Error!void {
    return o.d.value().set(&.{ "metadata", "labels", key }, text);
}

/// Removes a label, and metadata.labels with the last label.
pub fn removeLabel(o: Value, key: []const u8) Error!void {
    return removeFrom(o, "labels", key);
}

/// Returns the annotation; null if it is absent or not a string.
pub fn annotation(o: Value, key: []const u8) Error!?[]const u8 {
    return entry(o, "annotations", key);
}

/// Sets an annotation. Annotations can keep fields that the other version lacks; see also stash.
pub fn setAnnotation(o: Value, key: []const u8, text: []const u8) Error!void {
    return o.d.value().set(&.{ "metadata", "annotations", key }, text);
}

/// Removes an annotation, and metadata.annotations with the last annotation.
pub fn removeAnnotation(o: Value, key: []const u8) Error!void {
    return removeFrom(o, "annotations", key);
}

/// Reports whether the object may be a fragment: it has no metadata.uid, which every object has
/// that is stored or about to be stored. Server-side apply converts fragments to compute field
/// ownership: if a conversion adds a field to a fragment, the applier owns a field that it never
/// set. A module that declares fields must declare metadata.uid to call this; otherwise the object
/// is refused.
pub fn isFragment(o: Value) Error!bool {
    if (o.d.conversion) |c| if (!Fields.shown(o.d.fields, c.from, c.to, &.{"metadata.uid"})) return o.d.fail(
        "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (.fields)",
        .{},
    );
    const uid = try o.d.value().get(&.{ "metadata", "uid" }) orelse return true;
    return uid.typeOf() != .string;
}

fn entry(o: Value, map: []const u8, key: []const u8) Error!?[]const u8 {
    const there = try o.d.value().get(&.{ "metadata", map, key }) orelse return null;
    return if (there.typeOf() == .string) there.string(&.{}) else null;
}

fn removeFrom(o: Value, map: []const u8, key: []const u8) Error!void {
    const root = o.d.value();
    const there = try root.target(&.{ "metadata", map, key }) orelse return;
    try there.remove(&.{});
    var rest = try root.members(&.{ "metadata", map });
    if (try rest.next() == null) try root.remove(&.{ "metadata", map });
}
