// Package meter makes hostile WebAssembly fit to be run: wasm in, safe wasm out. It knows bytes, and nothing of the engine
// or of what modules are for.
//
// [Scan] decodes a module without believing any count that it declares, and validates every function as the WebAssembly
// specification describes it, up to core features 2.0 with vectors. What it accepts refers to nothing outside its own index
// spaces, so that what [Rewrite] adds behind them cannot be named by the module's code.
//
// Rewrite returns the module with these changes:
//
//   - Fuel. A function pays at its entry for the longest way through it, a branch back to a loop for the longest way from the
//     loop's beginning to itself, a bulk operation, before it is done, for its length. As everything else goes forward, whatever
//     way is taken has been paid for. When the fuel falls below zero, the module calls an imported function, yield, which refills it or
//     unwinds the call. So no code runs for long without the host having its say: not loops, not recursion, not functions
//     that double their calls.
//     Code that cannot be reached is left as it is.
//   - Chunks. A bulk operation on more than 256 KiB of memory yields after each of these.
//   - Stack. Functions that call others take an estimate of their frame off what is left of the call stack and give it back at
//     every exit. That is not checked: it is in one counter with the fuel, and a frame costs fuel too, so the stack that can be
//     taken until the next yield, which checks it, is bounded.
//   - Jumps. Where a loop begins with a table, as those of the Go compiler do, jumps forward by it are made direct. They need no
//     charge, and are faster than before.
//   - State. Every mutable global is exported under a name of ours, so that the host can read the initial state of an
//     instance and put it back.
//   - Bounds. Tables cannot grow; a memory's maximum is at most the host's limit.
//   - References. ref.func reads a global that holds the reference, because the engine allocates each time it makes one.
//   - Selects of floats and vectors become branches: the compiler of wazero v1.12.0 gets them wrong on amd64 when registers are
//     short (wazero pull request 2535).
//   - Custom sections are dropped.
//
// The code may become twice the module, and 64 KiB, at most: a module that would need more is refused while it is written.
//
// The functions of this package are pure, and safe for concurrent use.
package meter
