//! Restores the values that the conversion to this version kept.

use alloc::format;
use alloc::string::String;

use crate::object::Object;
use crate::pointer::restorable;
use crate::stash::{bare, hash_for, key, layers, Stash};
use crate::value::Type;
use crate::{log, Level};

impl<'a> Object<'a> {
    /// Restores the values that the conversion to this version kept with
    /// [`stash`](crate::Value::stash), unless they are stale. Call it first: it decides from the
    /// unedited object which values are stale, and restores the others after the converter returns.
    /// Without a stash it does nothing. A stash never refuses an object; values that cannot be
    /// restored are logged and dropped.
    pub fn restore(&self) {
        let Some(stash) = Stash::of(self.d).filter(|stash| !stash.restoring.replace(true)) else { return };
        let Some(text) = self.annotation(&key(stash.to)) else { return };
        let (from, to) = (bare(stash.from), bare(stash.to));
        let Some(layers) = layers(*self, text) else {
            let title = self.title();
            return log(Level::Warn, &format!("the stash of {title} is not a JSON object, and was dropped"));
        };
        let Some(layer) = layers.get(to) else { return };
        let taken_in = layer.str("in").ok().flatten().unwrap_or_default();
        if taken_in != from {
            let title = self.title();
            return log(Level::Info, &format!("the stash of {title} was taken in {taken_in:?}, not in {from}, and was dropped"));
        }
        let Some(kept) = layer.get("kept").filter(|kept| kept.type_of() == Type::Array) else {
            let title = self.title();
            return log(Level::Warn, &format!("the stash of {title} has no list of what was kept, and was dropped"));
        };
        for parcel in kept.elements([]) {
            let hash = hash_for(*self, parcel.raw("for"));
            let want = parcel.str("hash").ok().flatten().unwrap_or_default();
            match hash.map(|hash| format!("{hash:016x}")) {
                None => {
                    let title = self.title();
                    log(Level::Warn, &format!("the stash of {title} has a malformed parcel, which was dropped"));
                }
                Some(hash) if hash != want => {
                    let title = self.title();
                    let text = format!("{title} was changed in {from}: what was kept for {to} is stale, and was dropped");
                    log(Level::Info, &text);
                }
                Some(_) => stash.fresh.push(self.d.arena, parcel),
            }
        }
    }

    /// Names the object for the log.
    pub(crate) fn title(&self) -> String {
        let text = |path: &[&str]| self.str(path).ok().flatten().unwrap_or_default();
        let (kind, name) = (text(&["kind"]), text(&["metadata", "name"]));
        match text(&["metadata", "namespace"]) {
            "" => format!("{kind} {name}"),
            namespace => format!("{kind} {namespace}/{name}"),
        }
    }
}

impl<'a> Stash<'a> {
    /// Sets the values that `restore` found not to be stale in the converted object.
    pub fn put_back(&self, o: Object<'a>) {
        for parcel in self.fresh.iter() {
            if let Some(set) = parcel.get("set").filter(|set| set.type_of() == Type::Object) {
                for (pointer, value) in set.members([]).filter(|(pointer, _)| restorable(pointer)) {
                    if !o.set_at(pointer, value.json()) {
                        let (title, to) = (o.title(), bare(self.to));
                        let text = format!("{title} has no place for {pointer} any more, which was kept for {to}, and was dropped");
                        log(Level::Info, &text);
                    }
                }
            }
            let Some(gone) = parcel.get("gone").filter(|gone| gone.type_of() == Type::Array) else { continue };
            for element in gone.elements([]) {
                let pointer = element.str([]).ok().flatten().unwrap_or_default();
                let Some(v) = o.at(pointer).filter(|_| restorable(pointer)) else { continue };
                if v.n.parent.get().is_some_and(|parent| parent.kind() == b'{') {
                    v.detach();
                }
            }
        }
    }
}
