import { EDITED, GONE, LOOSE } from "./document";
import { Buffer } from "./memory";
import { skipSpace } from "./scan";
import { Value } from "./value";

// A value is written by copying its text. Only an object or array whose members were edited is written member by member, and
// neighbours that nobody touched are copied in one piece. Behind the point that was read last nothing can have been edited: the
// rest of the text is copied as it is. Nothing recurses, whatever the nesting.

/** Says that v is in the text as it should be in the output, and where it should be. */
// @ts-ignore: decorator
@inline
function untouched(v: Value): bool {
  return !(v.flags & (EDITED | GONE | LOOSE));
}

/** Appends root with all its edits. */
export function render(out: Buffer, root: Value): void {
  const end = root.home.end;
  if (!(root.flags & EDITED)) {
    out.append(root.at, (root.end ? root.end : end) - root.at);
    return;
  }
  let n = root, c = n.first, empty = true;
  out.byte(load<u8>(n.at));
  for (;;) {
    while (c) {
      if (c.flags & GONE) {
        c = c.next;
        continue;
      }
      if (!empty) out.byte(0x2c);
      empty = false;
      const from = c.key;
      if (untouched(c)) {
        let last: Value = c;
        while (last.end) {
          const next = last.next;
          if (!next || !untouched(next)) break;
          last = next;
        }
        out.append(from, (last.end ? last.end : end) - from);
        if (!last.end) return;
        c = last.next;
        continue;
      }
      if (load<u8>(n.at) == 0x7b) {
        out.append(from, c.keySize);
        out.byte(0x3a);
      }
      if (c.flags & EDITED) {
        out.byte(load<u8>(c.at));
        n = c;
        c = n.first;
        empty = true;
        continue;
      }
      out.append(c.at, (c.end ? c.end : end) - c.at);
      if (!c.end) return;
      c = c.next;
    }
    if (!n.end) { // the rest follows
      let pos = n.home.pos;
      if (empty) {
        pos = skipSpace(pos, end);
        if (pos < end && load<u8>(pos) == 0x2c) pos = skipSpace(pos + 1, end);
      }
      out.append(pos, end - pos);
      return;
    }
    out.byte(load<u8>(n.at) == 0x7b ? 0x7d : 0x5d);
    const parent = n.parent;
    if (n == root || !parent) return;
    c = n.next;
    n = parent;
    empty = false;
  }
}
