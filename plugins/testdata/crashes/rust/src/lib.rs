//! Does what the object says in `.spec.do`: it refuses, panics or uses up its memory. The same module in every language lets a test see
//! that a crash is a crash in all of them.

use crosswalk::{refuse, Object, Result};

crosswalk::module! {
    name: "crashes",
    version: "1.0.0",
    conversions: [ run: "example.com/v1" => "example.com/v2" ],
}

fn run(o: &Object) -> Result {
    match o.str(["spec", "do"])? {
        Some("refuse") => refuse!("not today"),
        Some("silent") => refuse!(""),
        Some("crash") => panic!("no such field"),
        Some("memory") => {
            let mut held = vec![1u8];
            loop {
                held.extend_from_within(..);
            }
        }
        _ => Ok(()),
    }
}
