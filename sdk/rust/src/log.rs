/// The severity of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the levels of the gateway's log
pub enum Level {
    Debug = 0,
    Info = 1,
    Warn = 2,
    Error = 3,
}

/// Writes a line to the gateway's log, natively to standard error. The gateway limits the amount
/// that a module may log. The kubectl user does not see the log: put information for them in a
/// refusal.
pub fn log(level: Level, text: &str) {
    host::log(level, text);
}

#[cfg(target_arch = "wasm32")]
mod host {
    #[link(wasm_import_module = "crosswalk_v1")]
    extern "C" {
        #[link_name = "log"]
        fn crosswalk_log(level: u32, at: *const u8, len: usize);
    }

    pub fn log(level: super::Level, text: &str) {
        // SAFETY: the gateway reads that much there, and no more.
        unsafe { crosswalk_log(level as u32, text.as_ptr(), text.len()) }
    }
}

#[cfg(all(not(target_arch = "wasm32"), feature = "std"))]
mod host {
    pub fn log(level: super::Level, text: &str) {
        std::eprintln!("{level:?} {text}");
    }
}

#[cfg(all(not(target_arch = "wasm32"), not(feature = "std")))]
mod host {
    pub fn log(_: super::Level, _: &str) {}
}
