// Converts Database.db.example.com between v1beta1 and v1, which says much that v1beta1 has no fields for: it is kept in the stash while
// the object is in v1beta1.
import { describe, join, register, Resource, restore, split, stash, stashFor, Text, Type } from "../../../sdk/assemblyscript/assembly";
export * from "../../../sdk/assemblyscript/assembly/abi";

describe("database", "1.0.0", "Apache-2.0");
register("db.example.com/v1beta1", "db.example.com/v1", toV1);
register("db.example.com/v1", "db.example.com/v1beta1", toBeta);

function toBeta(o: Resource): void {
  // The maintenance window was chosen for the database as a whole. TLS and the storage's class have nothing to do with anything
  // that v1beta1 knows. Roles go with the user they were given to.
  const spec = o.map("spec"), storage = spec.map("storage");
  stash(spec, "maintenance");
  stashFor(spec, "tls", []);
  stashFor(storage, "class", []);
  stash(o.map("status"), "members");
  for (let user = spec.list("users").firstChild; user.isThere; user = user.nextChild) {
    stashFor(user, "roles", [["spec", "users"]]);
    const name = user.text("name");
    if (o.refused) return;
    if (!name.exists) return o.refuse(`${user.location("name")} must be there: v1beta1 has nothing else of a user`);
    user.setText(null, name);
  }
  if (!join(spec, "image", ":", ["engine", "version"])) {
    stashFor(spec, "engine", [["spec", "image"]]);
    stashFor(spec, "version", [["spec", "image"]]);
  }
  storage.move("size", spec, "storageSize");
  if (storage.type == Type.Object && !storage.firstChild.isThere) spec.remove("storage");
}

function toV1(o: Resource): void {
  restore(o);
  const spec = o.map("spec");
  for (let user = spec.list("users").firstChild; user.isThere; user = user.nextChild) {
    const name = user.text();
    if (o.refused) return;
    if (!name.exists) return o.refuse(`${user.location()} must be a string, but is null`);
    user.setRaw(null, Text.of("{}"));
    user.setText("name", name);
  }
  split(spec, "image", ":", ["engine", "version"]);
  if (spec.has("storageSize")) spec.move("storageSize", spec.make("storage"), "size");
}
