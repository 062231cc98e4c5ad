//! Converts Database.db.example.com between v1beta1 and v1, which says much that v1beta1 has no fields for: it is kept in the
//! stash while the object is in v1beta1.

use crosswalk::{refuse, Object, Result, Type};

const V1BETA1: &str = "db.example.com/v1beta1";
const V1: &str = "db.example.com/v1";

crosswalk::module! {
    name: "database",
    version: "1.0.0",
    licence: "Apache-2.0",
    conversions: [
        to_v1: V1BETA1 => V1,
        to_beta: V1 => V1BETA1,
    ],
}

// Paths of the fields that both v1 and v1beta1 have, in each version.
const ENGINE: [&str; 2] = ["spec", "engine"];
const VERSION: [&str; 2] = ["spec", "version"];
const IMAGE: [&str; 2] = ["spec", "image"]; // v1beta1: engine and version
const SIZE: [&str; 3] = ["spec", "storage", "size"];
const STORAGE_SIZE: [&str; 2] = ["spec", "storageSize"]; // v1beta1
const USERS: [&str; 2] = ["spec", "users"];

fn to_beta(o: &Object) -> Result {
    // The maintenance window was chosen for the database as a whole. TLS and the storage's class have nothing to do with
    // anything that v1beta1 knows. Roles go with the user they were given to.
    o.stash(["spec", "maintenance"]);
    o.stash_for(["spec", "tls"], &[]);
    o.stash_for(["spec", "storage", "class"], &[]);
    o.stash(["status", "members"]);
    for user in o.elements(USERS) {
        user.stash_for("roles", &[&USERS]);
        let Some(name) = user.str("name")? else {
            refuse!("{} must be there: v1beta1 has nothing else of a user", user.location("name"));
        };
        user.set([], name);
    }
    if !o.join(IMAGE, ":", &[ENGINE, VERSION]) {
        o.stash_for(ENGINE, &[&IMAGE]);
        o.stash_for(VERSION, &[&IMAGE]);
    }
    o.move_to(SIZE, STORAGE_SIZE);
    let storage = o.get(["spec", "storage"]);
    if storage.is_some_and(|storage| storage.type_of() == Type::Object && storage.members([]).next().is_none()) {
        o.remove(["spec", "storage"]);
    }
    Ok(())
}

fn to_v1(o: &Object) -> Result {
    o.restore();
    for user in o.elements(USERS) {
        let Some(name) = user.str([])? else {
            refuse!("{} must be a string, but is null", user.location([]));
        };
        user.set([], crosswalk::Raw("{}"));
        user.set("name", name);
    }
    o.split(IMAGE, ":", &[ENGINE, VERSION]);
    o.move_to(STORAGE_SIZE, SIZE);
    Ok(())
}

#[test]
fn golden_cases() {
    crosswalk::testing::run(&MODULE, "../../../bin/vectors/database.json");
}
