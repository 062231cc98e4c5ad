//! Values for what is absent.

use crate::document::Document;
use crate::edit::Json;
use crate::object::Object;
use crate::path::Path;
use crate::value::{Type, Value};

impl Object<'_> {
    /// Reports whether the object may be a fragment: it has no `metadata.uid`, which every object
    /// has that is stored or about to be stored. Server-side apply converts fragments to compute
    /// field ownership: if a conversion adds a field to a fragment, the applier owns a field that
    /// it never set. A module that declares fields must declare `metadata.uid` to call this;
    /// otherwise the object is refused.
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
    /// Sets the value at path if it is absent or null. Does nothing in a fragment (see
    /// [`Object::is_fragment`]), or if the parent object is absent: a default of `spec.size` does
    /// not create `spec`. Reports whether it set the value.
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
