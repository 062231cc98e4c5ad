use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

/// Why an object cannot be converted, in words for the person at `kubectl`.
///
/// Any text becomes one: `Err("…")?`, `return Err(format!(…).into())`, or [`refuse!`](crate::refuse).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Cow<'static, str>);

/// What a conversion returns: an error refuses its object, and only that.
pub type Result<T = ()> = core::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Error {}

impl From<String> for Error {
    fn from(text: String) -> Self {
        Error(Cow::Owned(text))
    }
}

impl From<&'static str> for Error {
    fn from(text: &'static str) -> Self {
        Error(Cow::Borrowed(text))
    }
}

/// Returns from a conversion with a refusal, formatted as by `format!`.
#[macro_export]
macro_rules! refuse {
    ($($text:tt)*) => {
        return ::core::result::Result::Err($crate::Error::from($crate::macros::format!($($text)*)))
    };
}

/// What can be remembered as the reason of a failure.
pub(crate) trait Message {
    fn text(&self) -> &str;
}

impl Message for Error {
    fn text(&self) -> &str {
        &self.0
    }
}

impl Message for String {
    fn text(&self) -> &str {
        self
    }
}

impl Message for &str {
    fn text(&self) -> &str {
        self
    }
}
