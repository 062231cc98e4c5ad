//! Converts Database.db.example.com between v1beta1 and v1, which says much that v1beta1 has no fields for: it is kept in the
//! stash while the object is in v1beta1.

const cw = @import("crosswalk");

const v1beta1 = "db.example.com/v1beta1";
const v1 = "db.example.com/v1";

const module: cw.Module = .{
    .name = "database",
    .version = "1.0.0",
    .licence = "Apache-2.0",
    .conversions = &.{
        .{ .from = v1beta1, .to = v1, .convert = toV1 },
        .{ .from = v1, .to = v1beta1, .convert = toBeta },
    },
};

comptime {
    cw.serve(module);
}

pub const panic = cw.panic;

// Paths of the fields that both v1 and v1beta1 have, in each version.
const engine: cw.Path = &.{ "spec", "engine" };
const version: cw.Path = &.{ "spec", "version" };
const image: cw.Path = &.{ "spec", "image" }; // v1beta1: engine and version
const storage: cw.Path = &.{ "spec", "storage" };
const size: cw.Path = &.{ "spec", "storage", "size" };
const storage_size: cw.Path = &.{ "spec", "storageSize" }; // v1beta1
const users: cw.Path = &.{ "spec", "users" };

fn toBeta(o: cw.Object) cw.Error!void {
    // The maintenance window was chosen for the database as a whole. TLS and the storage's class have nothing to do with
    // anything that v1beta1 knows. Roles go with the user they were given to.
    _ = try o.stash(&.{ "spec", "maintenance" });
    _ = try o.stashFor(&.{ "spec", "tls" }, &.{});
    _ = try o.stashFor(&.{ "spec", "storage", "class" }, &.{});
    _ = try o.stash(&.{ "status", "members" });
    var list = try o.elements(users);
    while (try list.next()) |user| {
        _ = try user.stashFor(&.{"roles"}, &.{users});
        const name = try user.string(&.{"name"}) orelse
            return o.refuse("{s} must be there: v1beta1 has nothing else of a user", .{try user.location(&.{"name"})});
        try user.set(&.{}, name);
    }
    if (!try o.join(image, ":", &.{ engine, version })) {
        _ = try o.stashFor(engine, &.{image});
        _ = try o.stashFor(version, &.{image});
    }
    try o.move(size, storage_size);
    const rest = try o.get(storage) orelse return;
    if (rest.typeOf() != .object) return;
    var members = try rest.members(&.{});
    if (try members.next() == null) try o.remove(storage);
}

fn toV1(o: cw.Object) cw.Error!void {
    try o.restore();
    var list = try o.elements(users);
    while (try list.next()) |user| {
        const name = try user.string(&.{}) orelse
            return o.refuse("{s} must be a string, but is null", .{try user.location(&.{})});
        try user.set(&.{}, cw.Raw{ .text = "{}" });
        try user.set(&.{"name"}, name);
    }
    _ = try o.split(image, ":", &.{ engine, version });
    try o.move(storage_size, size);
}

test "vectors" {
    try cw.testing.run(module, @embedFile("vectors"));
}
