use core::fmt::{self, Display, Write};
use core::ops::Deref;

use crate::document::Document;
use crate::value::Value;

/// The Kubernetes object that a converter converts: a JSON text and the edits of it.
///
/// Paths of [`Value`]'s methods begin at the top of the object. It has `apiVersion`, `kind`,
/// `metadata` (without `managedFields` and `resourceVersion`) and the fields of its version. Any of
/// them may be absent, because server-side apply converts fragments. The SDK sets `apiVersion`.
///
/// Of the metadata, only changes to labels and annotations reach the API server. The gateway
/// reverts all other changes.
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

    /// Returns the label, `None` if it is absent or not a string.
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.str(["metadata", "labels", key]).ok()?
    }

    /// Sets a label.
    pub fn set_label(&self, key: &str, value: &str) {
        self.set(["metadata", "labels", key], value);
    }

    /// Removes a label, and `metadata.labels` with the last label. Reports whether it was present.
    pub fn remove_label(&self, key: &str) -> bool {
        self.remove_from("labels", key)
    }

    /// Returns the annotation, `None` if it is absent or not a string.
    pub fn annotation(&self, key: &str) -> Option<&'a str> {
        self.str(["metadata", "annotations", key]).ok()?
    }

    /// Sets an annotation. Annotations can keep fields that the other version lacks; see also
    /// stash.
    pub fn set_annotation(&self, key: &str, value: &str) {
        self.set(["metadata", "annotations", key], value);
    }

    /// Removes an annotation, and `metadata.annotations` with the last annotation. Reports whether
    /// it was present.
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

    /// Parses JSON, for example from an annotation, as a separate object; `None` if the text is not
    /// JSON.
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
