//! What the gateway calls: docs/spec/abi.md.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

use crate::arena::Arena;
use crate::frame::answer;
use crate::Module;

/// The memory of a module between the calls of the gateway.
pub struct Guest(UnsafeCell<Memory>);

struct Memory {
    request: Vec<u8>,
    response: Vec<u8>,
    arena: Arena,
    description: String,
}

// SAFETY: there are no threads, and the gateway calls one function at a time, none from within another.
unsafe impl Sync for Guest {}

impl Guest {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        let memory = Memory { request: Vec::new(), response: Vec::new(), arena: Arena::new(), description: String::new() };
        Guest(UnsafeCell::new(memory))
    }

    #[allow(clippy::mut_from_ref)]
    fn memory(&self) -> &mut Memory {
        // SAFETY: see Sync; each exported function calls this once.
        unsafe { &mut *self.0.get() }
    }

    /// Returns a buffer for a request; 0 if there is no memory.
    pub fn alloc(&self, size: u32) -> u32 {
        let Memory { request, response, .. } = self.memory();
        #[cfg(feature = "std")]
        if response.capacity() == 0 {
            std::panic::set_hook(std::boxed::Box::new(|panic| crate::log(crate::Level::Error, &std::format!("{panic}"))));
        }
        let more = (size as usize).saturating_sub(request.len());
        if request.try_reserve_exact(more).is_err() {
            return 0;
        }
        request.resize(request.len() + more, 0);
        request.as_ptr() as u32
    }

    /// Answers the request that is in the buffer; 0 if it is malformed.
    pub fn convert(&self, module: &Module, at: u32, len: u32) -> u64 {
        let memory = self.memory();
        let (request, response) = (&memory.request, &mut memory.response);
        if at != request.as_ptr() as u32 || len as usize > request.len() {
            return 0;
        }
        match answer(module, &request[..len as usize], &mut memory.arena, response) {
            Some(()) => pair(response),
            None => 0,
        }
    }

    pub fn describe(&self, module: &Module) -> u64 {
        let memory = self.memory();
        memory.description = module.description();
        pair(memory.description.as_bytes())
    }
}

fn pair(bytes: &[u8]) -> u64 {
    (bytes.as_ptr() as u64) << 32 | bytes.len() as u64
}

/// Exports what the gateway calls.
#[doc(hidden)]
#[macro_export]
macro_rules! exports {
    ($module:expr) => {
        const _: () = {
            static GUEST: $crate::guest::Guest = $crate::guest::Guest::new();

            #[no_mangle]
            extern "C" fn crosswalk_abi_v1() {}

            #[no_mangle]
            extern "C" fn crosswalk_alloc(size: u32) -> u32 {
                GUEST.alloc(size)
            }

            #[no_mangle]
            extern "C" fn crosswalk_convert(at: u32, len: u32) -> u64 {
                GUEST.convert(&$module, at, len)
            }

            #[no_mangle]
            extern "C" fn crosswalk_describe() -> u64 {
                GUEST.describe(&$module)
            }
        };
    };
}
