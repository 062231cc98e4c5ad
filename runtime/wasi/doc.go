// Package wasi is the WASI preview 1 that guests import. It gives a guest no access to anything
// outside: no files, no network, no environment, no time of the day. The functions that language
// runtimes need at startup and for output work; every other function of preview 1 has its type and
// returns a constant error number.
//
// The package holds no state. File descriptors 0, 1 and 2 are open in every call, also after a
// guest closed or renumbered them, so nothing here survives the reset of an instance. Clock, random
// source, input and output belong to the [Host], which begins each call anew. (The engine's own WASI
// serves trusted programs: one call works on lists of any length for one unit of fuel, and its file
// table survives the reset.) The clock is the same at every batch, because a conversion that depends
// on the time answers each read differently: server-side apply never settles.
//
// A guest chooses the length of every list and buffer that it passes. Each function therefore:
//
//   - charges [CallFuel] before it looks at its parameters, and the price of a length before it
//     works on so many bytes or entries;
//   - works on at most chunk bytes between two charges. A charge that uses up the guest's fuel
//     makes the host look at its deadlines, and unwinds the guest if one has passed;
//   - refuses lists that are longer than those of honest programs: maxVectors, maxSubscriptions;
//   - reads no paths, so that their length does not matter.
//
// docs/spec/abi.md lists the functions with their prices.
package wasi
