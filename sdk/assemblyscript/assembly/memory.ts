// Memory for one object at a time: an arena of blocks that the next object reuses. What the SDK makes of an object, values and
// texts, lives here and not on AssemblyScript's heap, so that a conversion leaves the garbage collector nothing to do.

/** Everything that is scanned in whole vectors has as many bytes behind it that may be read. */
export const PAD: usize = 64;

/** The size of a block: room for the values and texts of most objects. */
const BLOCK: usize = 64 << 10;

/** How much an idle arena keeps; an object that needed more gives the rest back. */
const KEEP: usize = 1 << 20;

/** Before a block's memory: the next block, and where this one ends. */
const HEADER: usize = 16;

let first: usize = 0; // block
let current: usize = 0; // block that is being used
let free: usize = 0; // where it is free from
let limit: usize = 0; // where it ends, PAD bytes before its real end
let total: usize = 0; // of all blocks

/** Returns size bytes, aligned to 8, valid until the conversion returns. Traps when memory is exhausted. */
export function alloc(size: usize): usize {
  size = (size + 7) & ~7;
  if (size > limit - free) more(size);
  const p = free;
  free = p + size;
  return p;
}

/** Gives back all of the allocation at p, which was the last one, but size bytes. */
export function shrink(p: usize, size: usize): void {
  if (p >= current && p <= limit) free = (p + size + 7) & ~7; // otherwise a new block was begun since: not worth the trouble
}

/** Frees all that alloc has returned. */
export function release(): void {
  if (total > KEEP) {
    let block = load<usize>(first);
    store<usize>(first, 0);
    while (block) {
      const next = load<usize>(block);
      heap.free(block);
      block = next;
    }
    total = load<usize>(first, 4) - first;
  }
  if (first) use(first);
}

function use(block: usize): void {
  current = block;
  free = block + HEADER;
  limit = load<usize>(block, 4);
}

function more(size: usize): void {
  if (size > 0x70000000) unreachable();
  let block = current ? load<usize>(current) : 0;
  if (!block || load<usize>(block, 4) - block - HEADER < size) {
    const room = max(size, BLOCK);
    const made = heap.alloc(HEADER + room + PAD);
    memory.fill(made + HEADER + room, 0, PAD);
    store<usize>(made, block);
    store<usize>(made, made + HEADER + room, 4);
    total += HEADER + room;
    if (current) store<usize>(current, made);
    else first = made;
    block = made;
  }
  use(block);
}

/** Copies n bytes to where PAD bytes more may be overwritten, from where they may be read. */
// @ts-ignore: decorator
@inline
export function copy(to: usize, from: usize, n: usize): void {
  if (n <= 64) {
    for (let i: usize = 0; i < n; i += 16) v128.store(to + i, v128.load(from + i));
  } else {
    memory.copy(to, from, n);
  }
}

/** Bytes that grow; they live until they are reused. */
@unmanaged
export class Buffer {
  at: usize;
  length: usize;
  room: usize;

  static make(): Buffer {
    const b = changetype<Buffer>(heap.alloc(offsetof<Buffer>()));
    b.at = b.length = b.room = 0;
    return b;
  }

  /** Makes room for n more bytes and PAD, and returns where they go. */
  reserve(n: usize): usize {
    const need = this.length + n + PAD;
    if (need > this.room) {
      if (need > 0x70000000) unreachable();
      const room = need + (need >> 1);
      this.at = this.at ? heap.realloc(this.at, room) : heap.alloc(room);
      this.room = room;
    }
    return this.at + this.length;
  }

  append(from: usize, n: usize): void {
    copy(this.reserve(n), from, n);
    this.length += n;
  }

  /** Where it is, and its length, as the gateway is told. */
  get region(): u64 {
    return <u64>this.at << 32 | <u64>this.length;
  }

  byte(c: u8): void {
    store<u8>(this.reserve(1), c);
    this.length++;
  }
}
