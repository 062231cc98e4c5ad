// Converts Database.db.example.com between v1beta1 and v1, which says much that v1beta1 has no fields for: it is kept in the stash while
// the object is in v1beta1.
import { describe, register } from "crosswalk-javascript";

describe({ name: "database", version: "1.0.0", licence: "Apache-2.0" });
register("db.example.com/v1beta1", "db.example.com/v1", toV1);
register("db.example.com/v1", "db.example.com/v1beta1", toBeta);

function toBeta(o) {
  // The maintenance window was chosen for the database as a whole. TLS and the storage's class have nothing to do with anything
  // that v1beta1 knows. Roles go with the user they were given to.
  const spec = o.map("spec"), storage = spec.map("storage");
  spec.stash("maintenance");
  spec.stashFor("tls", []);
  storage.stashFor("class", []);
  o.map("status").stash("members");
  for (const user of spec.list("users").elements()) {
    user.stashFor("roles", [["spec", "users"]]);
    const name = user.string("name");
    if (o.refused) return;
    if (name === undefined) o.refuse(`${user.location("name")} must be there: v1beta1 has nothing else of a user`);
    user.replace(name);
  }
  if (!spec.join("image", ":", ["engine", "version"])) {
    spec.stashFor("engine", [["spec", "image"]]);
    spec.stashFor("version", [["spec", "image"]]);
  }
  storage.move("size", spec, "storageSize");
  if (storage.type === "object" && [...storage.members()].length === 0) spec.remove("storage");
}

function toV1(o) {
  o.restore();
  const spec = o.map("spec");
  for (const user of spec.list("users").elements()) {
    const name = user.string();
    if (o.refused) return;
    if (name === undefined) o.refuse(`${user.location()} must be a string, but is null`);
    user.replace({ name });
  }
  spec.split("image", ":", ["engine", "version"]);
  if (spec.has("storageSize")) spec.move("storageSize", spec.make("storage"), "size");
}
