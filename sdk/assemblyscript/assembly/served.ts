import { separate } from "./build";
import { alloc, Buffer } from "./memory";
import { addServedNumber } from "./number";
import { Text } from "./text";
import { Type, Value } from "./value";

/** A member of an object, to be sorted. */
@unmanaged
class Member {
  key: Text;
  value: Value;
}

/**
 * Appends a value as an API server sends it to the next conversion: without white space, with the members of each object sorted by
 * their keys, and with each number as addServedNumber writes it.
 */
export function addServed(out: Buffer, v: Value): void {
  if (v.type == Type.Object) {
    const members: usize[] = [];
    for (let m = v.firstChild; m.isThere; m = m.nextChild) {
      const member = changetype<Member>(alloc(offsetof<Member>()));
      member.key = m.name;
      member.value = m;
      members.push(changetype<usize>(member));
    }
    members.sort((a, b) => compare(changetype<Member>(a).key, changetype<Member>(b).key));
    out.byte(0x7b);
    for (let i = 0; i < members.length; i++) {
      const member = changetype<Member>(members[i]).value;
      separate(out);
      out.append(member.key, member.keySize);
      out.byte(0x3a);
      addServed(out, member);
    }
    return out.byte(0x7d);
  }
  if (v.type == Type.Array) {
    out.byte(0x5b);
    for (let e = v.firstChild; e.isThere; e = e.nextChild) {
      separate(out);
      addServed(out, e);
    }
    return out.byte(0x5d);
  }
  const text = v.raw();
  if (v.type == Type.Number) addServedNumber(out, text.at, text.at + text.size);
  else out.append(text.at, text.size);
}

/** Compares byte by byte, as Go's strings do. */
function compare(a: Text, b: Text): i32 {
  const shorter = min(a.length, b.length);
  const order = shorter ? memory.compare(a.at, b.at, <usize>shorter) : 0;
  return order ? order : a.length - b.length;
}
