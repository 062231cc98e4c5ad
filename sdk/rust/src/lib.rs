//! Converter modules for the Crosswalk gateway, in Rust.
//!
//! A converter translates the objects of one kind of custom resource from one API version to
//! another; the gateway loads it as WebAssembly and calls it when a Kubernetes API server asks for
//! a conversion. A module is a `cdylib` with one function per direction, listed by [`module!`]. The
//! function edits the object in place; the SDK sets `apiVersion`. An error that it returns refuses
//! the object, and its text is shown to the `kubectl` user.
//!
//! # Absent fields
//!
//! Server-side apply converts fragments of objects: without metadata, without spec, with one field
//! of several. A value that is absent in the input should therefore be absent in the output, and an
//! error is for values that are present and wrong. The methods of [`Value`] support this: they
//! distinguish absent from wrong values, and edits of absent values do nothing.
//!
//! # Untouched bytes
//!
//! An [`Object`] is the JSON text itself. The SDK reads it only as far as the function asks, and
//! copies all unedited text to the output byte for byte: unknown fields, big numbers and odd
//! escapes survive because they are never decoded.
//!
//! # Without std
//!
//! Without its default feature `std`, the crate needs only `alloc`. Then the gateway's log does not
//! show where a converter panicked, and the module `testing` is missing.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![warn(missing_docs, unsafe_op_in_unsafe_fn)]

extern crate alloc;

mod arena;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
mod declared;
mod default;
mod digits;
mod document;
mod edit;
mod error;
#[cfg(any(target_arch = "wasm32", test))]
mod frame;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
#[allow(missing_docs)]
pub mod guest;
mod hash;
mod keyed;
mod log;
mod lossless;
mod module;
mod object;
mod path;
mod pointer;
mod render;
mod restore;
mod scan;
mod served;
mod split;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
pub mod testing;
mod stash;
mod text;
mod translate;
mod valid;
mod value;

pub use edit::{Json, Raw};
pub use error::{Error, Result};
pub use log::{log, Level};
pub use lossless::lossless;
#[doc(hidden)]
pub use module::macros;
pub use module::{Conversion, Converter, Fields, Module};
pub use object::{quoted, Object};
pub use path::Path;
pub use translate::Enum;
pub use value::{Type, Value};

/// Natively there is nothing to export.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
#[macro_export]
macro_rules! exports {
    ($module:expr) => {};
}
