import { built } from "./build";
import { conversion } from "./conversion";
import { openDocument, setCurrent } from "./document";
import { hash } from "./hash";
import { Level, log } from "./log";
import { Buffer } from "./memory";
import { Converter } from "./module";
import { Resource } from "./object";
import { restorable, step, token } from "./pointer";
import { addServed } from "./served";
import { bare, keep, putBack, restore, title } from "./stash";
import { Text } from "./text";
import { Type, Value } from "./value";

/**
 * Converts with convert and keeps the fields that the target version lacks: it converts the result
 * back with back, from the text that an API server sends for it, and stashes every difference from
 * the original object. It begins with restore.
 * The converter of the other direction must be lossless, too, or begin with restore:
 *
 *     register(v1, beta, (o) => lossless(o, toBeta, toV1));
 *     register(beta, v1, (o) => lossless(o, toV1, toBeta));
 *
 * It costs a conversion back and a comparison for every object, and the stashed values are dropped
 * if a client changes more than metadata and status in the target version. stashFor is faster and
 * can keep more; do not use both. If back refuses the result, nothing is stashed: the target
 * version could not be written back anyway.
 */
export function lossless(o: Resource, convert: Converter, back: Converter): void {
  restore(o);
  convert(o);
  const again = converted(o);
  if (!again.isThere) return;
  back(again);
  compare(o, again);
}

const sent = Buffer.make();

/** Returns a copy of the converted object, as an API server sends it, to convert back, which compare ends; absent if there is nothing to compare. */
export function converted(o: Resource): Resource {
  if (o.refused || !conversion.owns(o.home)) return changetype<Resource>(0);
  putBack(o);
  o.setString("apiVersion", conversion.to);
  if (o.refused) return changetype<Resource>(0);
  const text = o.raw();
  sent.length = 0;
  addServed(sent, changetype<Value>(openDocument(text.at, text.at + text.size, false).root));
  const again = built(sent);
  return changetype<Resource>(openDocument(again.at, again.at + again.size, true).root);
}

/** Keeps what is different in the copy, converted back. */
export function compare(o: Resource, again: Resource): void {
  const d = o.home, failed = again.refused;
  setCurrent(d);
  if (failed) {
    return log(Level.Warn, `${title(o)} cannot be converted back to ${bare(conversion.from)}, so nothing was kept for it`);
  }
  keepMembers("", changetype<Value>(openDocument(d.text, d.end, false).root), again);
}

/** Stashes the differences between the members of two objects. */
function keepMembers(pointer: string, was: Value, again: Value): void {
  for (let a = was.firstChild; a.isThere; a = a.nextChild) {
    const key = a.name.toString(), below = pointer + token(key);
    if (restorable(below)) keepDifference(below, a, step(again, key));
  }
  for (let b = again.firstChild; b.isThere; b = b.nextChild) {
    const key = b.name.toString(), below = pointer + token(key);
    if (b.type == Type.Null || step(was, key).isThere || !restorable(below)) continue;
    keep("", below, changetype<Text>(0)); // invented by the conversion back
  }
}

/** Keeps what is at a and not, or otherwise, at b. */
function keepDifference(pointer: string, a: Value, b: Value): void {
  if (!b.exists) {
    if (a.type != Type.Null) keep("", pointer, a.raw());
  } else if (a.raw().same(b.raw())) {
    return;
  } else if (a.type == Type.Object && b.type == Type.Object) {
    keepMembers(pointer, a, b);
  } else if (a.type == Type.Array && b.type == Type.Array && count(a) == count(b)) {
    let y = b.firstChild, i = 0;
    for (let x = a.firstChild; x.isThere; x = x.nextChild) {
      keepDifference(pointer + "/" + (i++).toString(), x, y);
      y = y.nextChild;
    }
  } else if (hash(a) != hash(b)) {
    keep("", pointer, a.raw());
  }
}

function count(v: Value): i32 {
  let n = 0;
  for (let e = v.firstChild; e.isThere; e = e.nextChild) n++;
  return n;
}
