// Package meter rewrites hostile WebAssembly so that it is safe to run. It works on bytes and knows
// neither the engine nor the purpose of a module.
//
// [Scan] decodes a module without trusting any count that it declares, and validates every function
// as the WebAssembly specification describes, up to core features 2.0 with vectors. An accepted
// module refers only to its own index spaces, so its code cannot name anything that [Rewrite] adds
// after them. Rewrite needs the types of operands, and the engine's own validator, which has
// panicked on corrupt input, receives valid input only.
//
// Rewrite returns the module with these changes:
//
//   - Fuel. A function pays at its entry for the longest path through it; a branch back to a loop
//     pays for the longest path from the start of the loop to the branch; a bulk operation pays for
//     its length before it runs. All other code goes forward, so every path is paid for. When the
//     fuel falls below zero, the module calls an imported function, yield, which refills it or
//     unwinds the call. No code runs for long without a yield: no loops, no recursion, no functions
//     that double their calls. Unreachable code stays as it is. A loop pays at its end, because a
//     call at its head would make the compiler store all live values in every iteration.
//   - Chunks. A bulk operation on memory yields after each 256 KiB: neither a deadline nor Go's
//     collector can interrupt one instruction on 64 MiB. Refusing long operations would break honest
//     guests that clear their heap.
//   - Stack. Functions that call others subtract an estimate of their frame from the remaining call
//     stack and add it back at every exit. The module does not check the stack: it shares one
//     counter with the fuel, and a frame costs fuel too, so the stack used before the next yield,
//     which checks it, is bounded. The estimate omits values that are made where branches meet,
//     because counting all possible ones would end honest Go guests.
//   - Jumps. If a loop begins with a dispatch table, as loops of the Go compiler do, forward jumps
//     through it become direct branches. They need no charge, and are faster than before.
//   - State. Every mutable global is exported under a reserved name, so that the host can read the
//     initial state of an instance and restore it.
//   - Bounds. Tables cannot grow; a memory's maximum is at most the host's limit.
//   - References. ref.func reads a global that holds the reference, because the engine allocates at
//     each execution.
//   - Selects of floats and vectors become branches: the compiler of wazero v1.12.0 miscompiles
//     them on amd64 under register pressure (wazero pull request 2535).
//   - Integer remainders become divisions, for the same reason on arm64 (pull request 2508).
//   - Blocks. If [Options] say so, each block of code sets a bit in an added global when it runs.
//   - Custom sections are dropped.
//
// The code may grow to twice the module plus 64 KiB. Rewrite rejects a module that needs more,
// while it writes.
//
// The types that read functions stand on each other: reader (bytes), validator with frame.go (types,
// and the longest paths), output (the code as it is written), injector with dispatch.go,
// reference.go and remainder.go (additions to it), and bodies with control.go, variable.go and bulk.go
// (instructions). rewrite.go runs them, and additions.go has what a module gets beyond its functions.
//
// The functions of this package are pure, and safe for concurrent use.
package meter
