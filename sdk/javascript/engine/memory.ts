// The memory of this part is QuickJS' memory: AssemblyScript's minimal runtime, with its collector, on top of QuickJS' malloc.
import "rt/tcms";

// @ts-ignore: decorator
@external("quickjs", "wasm_malloc")
export declare function qjs_malloc(size: usize): usize;
// @ts-ignore: decorator
@external("quickjs", "wasm_free")
export declare function qjs_free(at: usize): void;

/** Before each allocation: its size, for realloc. 16 bytes keep the alignment. */
const HEAD: usize = 16;

/** All zeros: with a runtime of one's own, AssemblyScript takes that for granted. */
// @ts-ignore: decorator
@global @unsafe
export function __alloc(size: usize): usize {
  const at = qjs_malloc(size + HEAD);
  if (!at) unreachable();
  store<usize>(at, size);
  store<u32>(at + HEAD - 4, <u32>size & ~3); // where the collector looks for a size, which it adds up
  memory.fill(at + HEAD, 0, size);
  return at + HEAD;
}

// @ts-ignore: decorator
@global @unsafe
export function __realloc(at: usize, size: usize): usize {
  const room = load<usize>(at - HEAD);
  if (size <= room) return at;
  const to = __alloc(size);
  memory.copy(to, at, room);
  qjs_free(at - HEAD);
  return to;
}

// @ts-ignore: decorator
@global @unsafe
export function __free(at: usize): void {
  qjs_free(at - HEAD);
}
