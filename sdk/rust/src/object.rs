use core::fmt::{self, Display, Write};
use core::ops::Deref;

use crate::document::Document;
use crate::value::Value;

/// One Kubernetes object that is being converted: a JSON text and the edits to make in it.
///
/// What the methods of [`Value`] do with a path, they do from the top of the object. It has `apiVersion`, `kind`, `metadata`
/// (without `managedFields` and `resourceVersion`) and whatever else the version has; any of it may be absent, as server-side
/// apply converts fragments. `apiVersion` is set by the SDK.
///
/// Of the metadata, only changes to labels and annotations reach the API server. The gateway puts everything else back.
#[derive(Clone, Copy)]
pub struct Object<'a>(Value<'a>);

impl<'a> Deref for Object<'a> {
    type Target = Value<'a>;

    fn deref(&self) -> &Value<'a> {
        &self.0
    }
}

impl<'a> Object<'a> {
    pub(crate) fn new(d: &'a Document<'a>) -> Self {
        Object(d.value())
    }

    /// Returns the label, `None` if it is absent or no string.
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.str(["metadata", "labels", key]).ok()?
    }

    /// Sets a label.
    pub fn set_label(&self, key: &str, value: &str) {
        self.set(["metadata", "labels", key], value);
    }

    /// Removes a label, and the labels as a whole when it was the last; says whether it was there.
    pub fn remove_label(&self, key: &str) -> bool {
        self.remove_from("labels", key)
    }

    /// Returns the annotation, `None` if it is absent or no string.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.str(["metadata", "annotations", key]).ok()?
    }

    /// Sets an annotation. It is the place for what the other version has no field for.
    pub fn set_annotation(&self, key: &str, value: &str) {
        self.set(["metadata", "annotations", key], value);
    }

    /// Removes an annotation, and the annotations as a whole when it was the last; says whether it was there.
    pub fn remove_annotation(&self, key: &str) -> bool {
        self.remove_from("annotations", key)
    }

    fn remove_from(&self, map: &str, key: &str) -> bool {
        let deleted = self.remove(["metadata", map, key]);
        if deleted && self.members(["metadata", map]).next().is_none() {
            self.remove(["metadata", map]);
        }
        deleted
    }

    /// Parses JSON, such as an annotation has it, to an object of its own; `None` if it is no JSON.
    pub fn parse(&self, json: &str) -> Option<Object<'a>> {
        let json = crate::valid::json(json)?;
        let text = self.d.arena.copy(json.as_bytes());
        Some(Object::new(Document::open(self.d.arena, text)))
    }
}

/// Writes text with quotes and escapes, as JSON has it, for messages: `refuse!("… but is {}", quoted(text))`.
pub fn quoted(text: &str) -> impl Display + '_ {
    struct Quoted<'t>(&'t str);
    impl Display for Quoted<'_> {
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
            let mut out = alloc::vec::Vec::new();
            crate::text::quote(&mut out, self.0);
            core::str::from_utf8(&out).map_err(|_| fmt::Error)?.chars().try_for_each(|c| f.write_char(c))
        }
    }
    Quoted(text)
}
