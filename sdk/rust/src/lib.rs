//! Converter modules for the Crosswalk gateway, in Rust.
//!
//! A converter translates the objects of one kind of custom resource from one API version to another; the gateway loads it
//! as WebAssembly and calls it when a Kubernetes API server asks for a conversion. A module is a `cdylib` with one function
//! per direction, listed by [`module!`]. The function edits the object in place; `apiVersion` is set for it. An error that it
//! returns refuses the object, and its text is what the person at `kubectl` reads.
//!
//! # What to do about absent fields
//!
//! Server-side apply converts fragments of objects: without metadata, without spec, with one field of several. So what is
//! absent in the input should be absent in the output, and an error is for what is present and wrong. The methods of
//! [`Value`] are made for this: they tell "absent" from "wrong", and edits of what is absent do nothing.
//!
//! # Untouched bytes
//!
//! An [`Object`] is the JSON text itself. It is read no further than the function asks, and what the function does not touch
//! is copied to the output byte for byte: unknown fields, big numbers and odd escapes survive because nobody decodes them.
//!
//! # Without std
//!
//! The crate needs `alloc` only if its feature `std`, which is on by default, is turned off. What is lost is the line in the
//! gateway's log that says where a converter panicked, and the module `testing`.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![warn(missing_docs, unsafe_op_in_unsafe_fn)]

extern crate alloc;

mod arena;
#[cfg(all(feature = "std", not(target_arch = "wasm32")))]
mod declared;
mod default;
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
