// The memory of this part is QuickJS' memory: a runtime of AssemblyScript on its malloc.
import "rt/tcms";

// @ts-ignore: decorator
@external("quickjs", "wasm_malloc")
declare function malloc(size: usize): usize;
// @ts-ignore: decorator
@external("quickjs", "wasm_free")
declare function free(at: usize): void;

/** Before each allocation: its size, for realloc. 16 bytes keep the alignment. */
const HEAD: usize = 16;

// @ts-ignore: decorator
@global @unsafe
export function __alloc(size: usize): usize {
  const at = malloc(size + HEAD);
  if (!at) unreachable();
  store<usize>(at, size);
  store<u32>(at + HEAD - 4, <u32>size & ~3); // where AssemblyScript's collector looks for a size, which it adds up
  return at + HEAD;
}

// @ts-ignore: decorator
@global @unsafe
export function __realloc(at: usize, size: usize): usize {
  const room = load<usize>(at - HEAD);
  if (size <= room) return at;
  const to = __alloc(size);
  memory.copy(to, at, room);
  free(at - HEAD);
  return to;
}

// @ts-ignore: decorator
@global @unsafe
export function __free(at: usize): void {
  free(at - HEAD);
}
