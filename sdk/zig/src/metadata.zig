//! Labels and annotations, the only metadata whose changes reach the API server. These functions are the object's, whichever of
//! its values they are called with.

const Fields = @import("Fields.zig");
const Value = @import("Value.zig");
const Error = Value.Error;

/// Returns the label; null if it is absent or no string.
pub fn label(o: Value, key: []const u8) Error!?[]const u8 {
    return entry(o, "labels", key);
}

/// Sets a label.
pub fn setLabel(o: Value, key: []const u8, text: []const u8) Error!void {
    return o.d.value().set(&.{ "metadata", "labels", key }, text);
}

/// Removes a label, and the labels as a whole when it was the last.
pub fn removeLabel(o: Value, key: []const u8) Error!void {
    return removeFrom(o, "labels", key);
}

/// Returns the annotation; null if it is absent or no string.
pub fn annotation(o: Value, key: []const u8) Error!?[]const u8 {
    return entry(o, "annotations", key);
}

/// Sets an annotation. It is the place for what the other version has no field for.
pub fn setAnnotation(o: Value, key: []const u8, text: []const u8) Error!void {
    return o.d.value().set(&.{ "metadata", "annotations", key }, text);
}

/// Removes an annotation, and the annotations as a whole when it was the last.
pub fn removeAnnotation(o: Value, key: []const u8) Error!void {
    return removeFrom(o, "annotations", key);
}

/// Says that the object may be a part of one: it has no metadata.uid, which every stored object has, and one that is about to be
/// stored. Server-side apply converts fragments to find out who owns which field; a field that a conversion puts into a
/// fragment becomes the applier's, who did not ask for it. A module that declares fields has to declare metadata.uid for it; else the
/// object is refused.
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
