//! Values for what is absent.

use crate::document::Document;
use crate::edit::Json;
use crate::object::Object;
use crate::path::Path;
use crate::value::{Type, Value};

impl Object<'_> {
    /// Says that the object may be a part of one: it has no `metadata.uid`, which every stored object has, and one that is
    /// about to be stored. Server-side apply converts fragments to find out who owns which field; a field that a conversion
    /// puts into a fragment becomes the applier's, who did not ask for it. A module that declares fields has to declare
    /// `metadata.uid` for it; else the object is refused.
    pub fn is_fragment(&self) -> bool {
        is_fragment(self.d)
    }
}

fn is_fragment<'a>(d: &'a Document<'a>) -> bool {
    if !d.shown(&["metadata.uid"]) {
        d.fail("the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (fields in module!)");
    }
    !matches!(d.value().str(["metadata", "uid"]), Ok(Some(_)))
}

impl Value<'_> {
    /// Puts a value at path if nothing, or null, is there; not in a fragment (see [`Object::is_fragment`]), and not where the
    /// object that would have it is absent: a default of `spec.size` makes no `spec`. Says whether it did.
    pub fn default(self, path: impl Path, value: impl Json) -> bool {
        let Some((_, parent)) = path.keys().split_last() else { return false };
        if is_fragment(self.d) || self.get(path.keys()).is_some() {
            return false;
        }
        if !self.get(parent).is_some_and(|parent| parent.type_of() == Type::Object) {
            return false;
        }
        self.set(path, value);
        self.d.error.get().is_none()
    }
}
