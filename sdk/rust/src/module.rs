use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::arena::Arena;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::object::Object;
use crate::render::render;
use crate::stash::Stash;
use crate::text::quote;
use crate::value::Type;

/// The version of this SDK.
const SDK: &str = concat!("crosswalk-rust/", env!("CARGO_PKG_VERSION"));

/// Converts one object in place. An error refuses it.
pub type Converter = fn(&Object) -> Result;

/// One direction between two versions.
pub struct Conversion {
    /// The apiVersion that objects are in: `stable.example.com/v1`.
    pub from: &'static str,
    /// The apiVersion that they are wanted in.
    pub to: &'static str,
    /// The converter function. The SDK sets the object's apiVersion afterwards.
    pub convert: Converter,
}

/// Paths of fields, by apiVersion.
pub type Fields = &'static [(&'static str, &'static [&'static str])];

/// The description, converters and declarations of a module; [`module!`](crate::module) creates
/// one.
pub struct Module {
    /// The module's name: `crontab`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// An SPDX expression: `Apache-2.0`.
    pub licence: &'static str,
    /// The URL of its source.
    pub source: &'static str,
    /// Its conversions.
    pub conversions: &'static [Conversion],
    /// The declared fields by apiVersion. Without declarations, the module sees whole objects. See
    /// [`module!`](crate::module).
    pub fields: Fields,
}

impl Module {
    /// Converts one object, a JSON text, to the version desired, as the gateway does. It is for
    /// tests.
    pub fn convert(&self, object: &str, desired: &str) -> Result<String> {
        let mut out = Vec::new();
        let arena = Arena::new();
        let result = self.convert_one(&arena, object.as_bytes(), desired, &mut out);
        result?;
        String::from_utf8(out).map_err(|_| "the converted object is not UTF-8".into())
    }

    /// Appends the converted object, or returns the refusal; something may have been appended nevertheless.
    pub(crate) fn convert_one<'a>(&self, arena: &'a Arena, text: &'a [u8], desired: &str, out: &mut Vec<u8>) -> Result {
        let d = Document::open(arena, text);
        let o = Object::new(d);
        if o.type_of() != Type::Object {
            return Err(o.wrong("an object"));
        }
        let version = self.version_of(d);
        refuse_failed(d)?;
        let from = version?;
        if from == desired {
            out.extend_from_slice(text);
            return Ok(());
        }
        let Some(c) = self.conversions.iter().find(|c| c.from == from && c.to == desired) else {
            return Err(self.unknown(from, desired));
        };
        d.conversion.set(Some((c.from, c.to)));
        d.fields.set(self.fields);
        (c.convert)(&o)?;
        Stash::finish(o);
        o.set("apiVersion", c.to);
        refuse_failed(d)?;
        out.reserve(text.len() + text.len() / 4 + 64);
        render(d, d.root, out);
        Ok(())
    }

    /// Returns the version that the object is in.
    fn version_of<'a>(&self, d: &'a Document<'a>) -> Result<&'a str> {
        let Some(n) = d.find(d.root, "apiVersion") else {
            return Err(".apiVersion must say which version the object is in, but is absent".into());
        };
        let v = crate::Value { d, n };
        if v.type_of() != Type::String {
            return Err(v.wrong("a string"));
        }
        let text = v.json();
        Ok(d.plain(text.as_bytes().get(1..text.len().saturating_sub(1)).unwrap_or_default()))
    }

    #[cold]
    fn unknown(&self, from: &str, to: &str) -> Error {
        let mut have = String::new();
        for c in self.conversions {
            if !have.is_empty() {
                have.push_str(", ");
            }
            have = have + c.from + " to " + c.to;
        }
        format!("this module has no conversion from {from} to {to}; it has: {have}").into()
    }

    /// Returns the JSON that crosswalk_describe answers.
    pub fn description(&self) -> String {
        let mut out = Vec::from(&br#"{"language":"rust","sdk":"#[..]);
        quote(&mut out, SDK);
        for (key, value) in [("name", self.name), ("version", self.version), ("licence", self.licence), ("source", self.source)] {
            if !value.is_empty() {
                out.push(b',');
                quote(&mut out, key);
                out.push(b':');
                quote(&mut out, value);
            }
        }
        for (i, (version, paths)) in self.fields.iter().enumerate() {
            out.extend_from_slice(if i == 0 { b",\"fields\":{" } else { b"," });
            quote(&mut out, version.rsplit('/').next().unwrap_or_default());
            out.extend_from_slice(b":[");
            for (j, path) in paths.iter().enumerate() {
                if j > 0 {
                    out.push(b',');
                }
                quote(&mut out, path);
            }
            out.push(b']');
        }
        out.extend_from_slice(if self.fields.is_empty() { b"}" } else { b"}}" });
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Refuses the object if an edit or a read went wrong.
fn refuse_failed(d: &Document) -> Result {
    d.error.get().map_or(Ok(()), |error| Err(String::from(error).into()))
}

/// Describes a module and lists the converters of its directions, once per crate. It defines
/// `MODULE`, a [`Module`], and in WebAssembly also the functions that the gateway calls.
///
/// ```
/// use crosswalk::{Object, Result};
///
/// crosswalk::module! {
///     name: "disk",
///     version: "1.0.0",
///     licence: "Apache-2.0",
///     conversions: [
///         to_v1: "example.com/v1alpha1" => "example.com/v1",
///     ],
/// }
///
/// fn to_v1(o: &Object) -> Result {
///     o.rename(["spec", "size"], "capacity");
///     Ok(())
/// }
///
/// let got = MODULE.convert(r#"{"apiVersion":"example.com/v1alpha1","spec":{"size":1.50}}"#, "example.com/v1");
/// assert_eq!(got.unwrap(), r#"{"apiVersion":"example.com/v1","spec":{"capacity":1.50}}"#);
/// ```
///
/// A module may declare the fields that it reads and writes, for each of its versions. The gateway
/// then shows it only these fields and lets it change only these.
///
/// ```
/// # use crosswalk::{Object, Result};
/// crosswalk::module! {
///     name: "disk",
///     version: "1.0.0",
///     conversions: [
///         to_v1: "example.com/v1alpha1" => "example.com/v1",
///     ],
///     fields: [
///         "example.com/v1alpha1" => ["spec.size"],
///         "example.com/v1" => ["spec.capacity", "metadata.annotations['example.com/kept']"],
///     ],
/// }
/// # fn to_v1(_: &Object) -> Result { Ok(()) }
/// # assert!(MODULE.description().ends_with(
/// #     r#","fields":{"v1alpha1":["spec.size"],"v1":["spec.capacity","metadata.annotations['example.com/kept']"]}}"#));
/// ```
///
/// A path leads to a value, which is declared with all that is in it: names and dots, `['any name']`, `[]` for every element of a list, `.*`
/// for every member of an object. docs/spec/abi.md of the gateway has the rules. A list whose elements the module adds, removes or sorts must
/// be declared as a whole. What tells a fragment, for defaults, is `metadata.uid`, and a stash is in `metadata.annotations['conversion.<group>/stash']`: a module
/// that uses them declares them, or its objects are refused. [`testing::run`](crate::testing::run) finds what a converter reads or writes without declaring it.
#[macro_export]
macro_rules! module {
    (
        name: $name:expr,
        version: $version:expr,
        $(licence: $licence:expr,)?
        $(source: $source:expr,)?
        conversions: [ $($convert:path : $from:expr => $to:expr),+ $(,)? ]
        $(, fields: [ $($of:expr => [ $($path:expr),* $(,)? ]),+ $(,)? ])?
        $(,)?
    ) => {
        /// What this module is and does.
        pub static MODULE: $crate::Module = $crate::Module {
            name: $name,
            version: $version,
            licence: $crate::macros::first(&[$($licence,)? ""]),
            source: $crate::macros::first(&[$($source,)? ""]),
            conversions: &[$($crate::Conversion { from: $from, to: $to, convert: $convert }),+],
            fields: &[$($(($of, &[$($path),*])),+)?],
        };
        $crate::exports!(MODULE);
    };
}

/// What the macros use; not for converters.
#[doc(hidden)]
pub mod macros {
    pub use alloc::format;

    pub const fn first(list: &[&'static str]) -> &'static str {
        list[0]
    }
}

