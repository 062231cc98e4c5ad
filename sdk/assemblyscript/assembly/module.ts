import { conversion } from "./conversion";
import { clearCrash, crash, current, fail, find, openDocument } from "./document";
import { wrong } from "./edit";
import { Buffer, release } from "./memory";
import { Resource } from "./object";
import { render } from "./render";
import { equalsString } from "./text";
import { endStash } from "./stash";
import { Type } from "./value";

/** Converts one object in place, and refuses it with o.refuse. Its apiVersion is set by the SDK. */
export type Converter = (o: Resource) => void;

class Direction {
  constructor(public from: string, public to: string, public convert: Converter) {}
}

const conversions: Direction[] = [];

/** Registers convert for conversions of objects from one apiVersion ("group/version") to another.
 * Call it at the top level. */
export function register(from: string, to: string, convert: Converter): void {
  for (let i = 0; i < conversions.length; i++) {
    const c = conversions[i];
    if (c.from == from && c.to == to) throw new Error("the conversion from " + from + " to " + to + " is registered twice");
  }
  conversions.push(new Direction(from, to, convert));
}

/** How many objects are converted before their garbage is collected. */
const COLLECT: u32 = 32;

/** How many have been since then, in all calls: a gateway resets the module after a call, so a single object needs no collection. */
let converted: u32 = 0;

const response = Buffer.make();

/** Converts the batch in a request frame. Returns the response frame, which is valid until the next call; 0 if it is no frame. */
export function answer(at: usize, size: usize): u64 {
  let p = at;
  const end = at + size;
  if (size < 8) return 0;
  const count = load<u32>(p), toSize = <usize>load<u32>(p, 4);
  p += 8;
  if (toSize > end - p) return 0;
  const to = p;
  p += toSize;
  response.length = 0;
  response.reserve(size + size / 8 + 64);
  for (let i: u32 = 0; i < count; i++) {
    if (end - p < 4 || <usize>load<u32>(p) > end - p - 4) return 0;
    const length = <usize>load<u32>(p);
    p += 4;
    answerOne(p, p + length, to, toSize);
    if (crash) return response.region; // the gateway reads nothing behind a crash
    p += length;
    release();
    // No managed object is in use here: the table of conversions and the author's globals are all that must stay.
    if (++converted == COLLECT) {
      converted = 0;
      __collect();
    }
  }
  return p == end ? response.region : 0;
}

const CONVERTED: u32 = 0, REFUSED: u32 = 1, CRASHED: u32 = 2; // the statuses of an answer

function answerOne(at: usize, end: usize, to: usize, toSize: usize): void {
  const head = response.length;
  response.reserve(8);
  response.length += 8;
  clearCrash();
  const o = changetype<Resource>(openDocument(at, end, true).root);
  if (convert(o, to, toSize)) render(response, o);
  const status = crash ? CRASHED : current.error ? REFUSED : CONVERTED, error = crash ? crash : current.error;
  if (error) {
    response.length = head + 8;
    response.append(error.at, error.size);
  }
  store<u32>(response.at + head, status);
  store<u32>(response.at + head, <u32>(response.length - head - 8), 4);
}

/** Converts o, unless it is refused. */
function convert(o: Resource, to: usize, toSize: usize): bool {
  if (o.type != Type.Object) {
    wrong(o, "an object");
    return false;
  }
  const from = o.text("apiVersion");
  if (!from.exists) {
    const v = find(o, "apiVersion");
    if (v) wrong(v, "a string");
    else fail(current, ".apiVersion must say which version the object is in, but is absent");
    return false;
  }
  if (<usize>from.size == toSize && memory.compare(from.at, to, toSize) == 0) return true;
  for (let i = 0; i < conversions.length; i++) {
    const c = conversions[i];
    if (!from.equals(c.from) || !equalsString(to, toSize, c.to)) continue;
    conversion.start(c.from, c.to, o.home);
    c.convert(o);
    endStash(o);
    o.setString("apiVersion", c.to);
    return true;
  }
  let have = "";
  for (let i = 0; i < conversions.length; i++) have += (i ? ", " : "") + conversions[i].from + " to " + conversions[i].to;
  fail(current, "this module has no conversion from " + from.toString() + " to " + String.UTF8.decodeUnsafe(to, toSize) +
    "; it has: " + (have.length ? have : "nothing"));
  return false;
}
