import { addQuoted, addString, addText, built, quoted, separate } from "./build";
import { conversion } from "./conversion";
import { fail, kindOf, openDocument } from "./document";
import { shown } from "./fields";
import { addWord, begin, hash, hashMembers, sum } from "./hash";
import { Level, log } from "./log";
import { Buffer } from "./memory";
import { Resource } from "./object";
import { at, isPointer, pointerTo, firstKey, restorable, setAt, token } from "./pointer";
import { make, Text } from "./text";
import { valid } from "./valid";
import { Type, Value } from "./value";

// What a conversion keeps for the way back, in one annotation: docs/spec/stash.md is the format.

/** The longest text of a stash's annotation, in bytes: half of what Kubernetes allows all annotations of an object together. */
const LONGEST = 128 << 10;

/** One value that is kept. */
class Kept {
  constructor(
    public taken: string, // what it was taken for: a JSON list of pointers; "" = everything but metadata and status
    public pointer: string,
    public value: Text, // absent: the conversion back puts in a value that was not there
  ) {}
}

let kept: Kept[] = [];
let fresh: Value[] = []; // the parcels that restore found fresh
let restoring = false;

/**
 * Restores what is fresh, and writes the stash, after a converter. It does so even if the converter has kept nothing: a layer left over of
 * the version that the object comes from would be restored later.
 */
export function endStash(o: Resource): void {
  if (!o.refused && (kept.length || restoring || o.get("metadata").get("annotations").exists)) {
    putBack(o);
    write(o);
  }
  kept = [];
  fresh = [];
  restoring = false;
}

/**
 * Removes the value at key of v from the object and keeps it in an annotation, for a version that
 * has no field for it. The conversion back restores it if that begins with restore and only
 * metadata and status changed in between. A value below .status is restored if the status did not
 * change. Reports whether the value was present.
 *
 * Call it before you rename or move an object that contains the value: it records the current
 * path. A fragment without metadata cannot hold a stash, and the value is dropped. An object is
 * refused if its stash exceeds 128 KiB.
 */
export function stash(v: Value, key: string): bool {
  return takeAway(v, key, "");
}

/**
 * Does as stash, for a value that depends on a part of the object only: the value is restored if the values at the paths unchanged have
 * not changed in the other version. Without such paths it is always restored, which suits a field that the other version does not know.
 * An index names a list element: ["spec", "hosts", "0"].
 */
export function stashFor(v: Value, key: string, unchanged: string[][]): bool {
  let list = "[";
  for (let i = 0; i < unchanged.length; i++) {
    let pointer = "";
    for (let j = 0; j < unchanged[i].length; j++) pointer += token(unchanged[i][j]);
    list += (i ? "," : "") + quoted(pointer);
  }
  return takeAway(v, key, list + "]");
}

function takeAway(v: Value, key: string, taken: string): bool {
  const member = v.type > Type.Null ? v.map().member(key) : v;
  if (!member.isThere || member == v) return false;
  const pointer = pointerTo(member);
  if (!restorable(pointer)) {
    fail(v.home, `${member.location()} cannot be stashed: only what is beside apiVersion, kind and metadata can`);
    return false;
  }
  if (conversion.owns(v.home)) keep(taken, pointer, member.raw());
  return member.remove();
}

/** Keeps a value, or notes that there was none. */
export function keep(taken: string, pointer: string, value: Text): void {
  kept.push(new Kept(taken == "" && firstKey(pointer) == "status" ? '["/status"]' : taken, pointer, value));
}

/**
 * Restores the values that the conversion to this version kept with stash, unless they are stale.
 * Call it first: it decides from the unedited object which values are stale, and restores the
 * others after the converter returns. Without a stash it does nothing. A stash never refuses an
 * object; values that cannot be restored are logged and dropped.
 */
export function restore(o: Resource): void {
  if (restoring || !conversion.owns(o.home)) return;
  restoring = true;
  const from = bare(conversion.from), to = bare(conversion.to);
  const text = annotation(o);
  if (!text.exists) return;
  const layers = parse(text);
  if (layers.type != Type.Object) return log(Level.Warn, `the stash of ${title(o)} is not a JSON object, and was dropped`);
  const layer = layers.get(to);
  if (!layer.exists) return;
  const takenIn = textOf(layer, "in");
  if (!takenIn.equals(from)) {
    return log(Level.Info, `the stash of ${title(o)} was taken in ${takenIn.quoted}, not in ${from}, and was dropped`);
  }
  const parcels = layer.get("kept");
  if (parcels.type != Type.Array) {
    return log(Level.Warn, `the stash of ${title(o)} has no list of what was kept, and was dropped`);
  }
  for (let parcel = parcels.firstChild; parcel.isThere; parcel = parcel.nextChild) {
    const taken = parcel.type == Type.Object ? parcel.member("for") : changetype<Value>(0);
    if (!hashFor(o, taken)) {
      log(Level.Warn, `the stash of ${title(o)} has a malformed parcel, which was dropped`);
    } else if (!textOf(parcel, "hash").equals(hex(hashed))) {
      log(Level.Info, `${title(o)} was changed in ${from}: what was kept for ${to} is stale, and was dropped`);
    } else {
      fresh.push(parcel);
    }
  }
}

/** Sets the values that restore found not to be stale in the converted object. */
export function putBack(o: Resource): void {
  for (let i = 0; i < fresh.length; i++) {
    const set = fresh[i].get("set");
    if (set.type == Type.Object) {
      for (let m = set.firstChild; m.isThere; m = m.nextChild) {
        const pointer = m.name.toString();
        if (restorable(pointer) && !setAt(o, pointer, m.raw())) {
          log(Level.Info, `${title(o)} has no place for ${pointer} any more, which was kept for ${bare(conversion.to)}, and was dropped`);
        }
      }
    }
    const gone = fresh[i].get("gone");
    if (gone.type != Type.Array) continue;
    for (let e = gone.firstChild; e.isThere; e = e.nextChild) {
      const pointer = e.type == Type.String ? e.string() : "";
      const v = restorable(pointer) ? at(o, pointer) : changetype<Value>(0), parent = v.isThere ? v.parent : null;
      if (parent && kindOf(parent) == 0x7b) v.remove();
    }
  }
  fresh = [];
}

const out = Buffer.make();

/** Puts the stash into the object, which is converted otherwise. */
function write(o: Resource): void {
  const old = annotation(o), seen = shown("metadata.annotations") || shown(`metadata.annotations['${annotationKey()}']`);
  if (kept.length == 0 && !restoring && !(seen && old.exists)) return;
  if (!seen) {
    fail(o.home, `the module declares fields, and keeps a stash: it has to declare metadata.annotations['${annotationKey()}'] too (declareFields)`);
  }
  if (o.get("metadata").type != Type.Object) return;
  const from = bare(conversion.from), to = bare(conversion.to);
  out.length = 0;
  out.byte(0x7b);
  const layers = old.exists ? parse(old) : changetype<Value>(0);
  if (layers.type == Type.Object) {
    for (let layer = layers.firstChild; layer.isThere; layer = layer.nextChild) {
      const version = layer.name;
      if (version.equals(from) || version.equals(to)) continue;
      separate(out);
      addQuoted(out, version);
      out.byte(0x3a);
      addText(out, layer.raw());
    }
  }
  if (kept.length) {
    separate(out);
    addString(out, `${quoted(from)}:{"in":${quoted(to)},"kept":[`);
    writeParcels(o);
    addString(out, "]}");
  }
  out.byte(0x7d);
  if (<i32>out.length > LONGEST) {
    fail(o.home, `${to} cannot hold this object: what it has no place for needs ${out.length} bytes in the annotation ${annotationKey()}, which may have ${LONGEST}`);
  } else if (out.length > 2) {
    o.make("metadata").make("annotations").setText(annotationKey(), built(out));
  } else {
    o.removeAnnotation(annotationKey());
  }
}

/** Appends what was kept, what was taken for the same in one parcel, with its hash in the converted object. */
function writeParcels(o: Resource): void {
  for (let i = 0; i < kept.length; i++) {
    const taken = kept[i].taken;
    let earlier = false;
    for (let j = 0; j < i; j++) earlier = earlier || kept[j].taken == taken;
    if (earlier) continue;
    separate(out);
    hashFor(o, taken.length ? parse(Text.of(taken)) : changetype<Value>(0));
    addString(out, (taken.length ? `{"for":${taken},` : "{") + `"hash":"${hex(hashed)}"`);
    let opened = false;
    for (let j = i; j < kept.length; j++) {
      if (kept[j].taken != taken || !kept[j].value.exists) continue;
      addString(out, (opened ? "," : ',"set":{') + quoted(kept[j].pointer) + ":");
      addText(out, kept[j].value);
      opened = true;
    }
    if (opened) out.byte(0x7d);
    opened = false;
    for (let j = i; j < kept.length; j++) {
      if (kept[j].taken != taken || kept[j].value.exists) continue;
      addString(out, (opened ? "," : ',"gone":[') + quoted(kept[j].pointer));
      opened = true;
    }
    addString(out, opened ? "]}" : "}");
  }
}

/** The last result of hashFor. */
export let hashed: u64 = 0;

/** Computes the hash of what a parcel is taken for; false if that is no list of pointers. An absent list means the default. */
export function hashFor(o: Resource, taken: Value): bool {
  if (!taken.isThere) {
    hashed = hashMembers(o, true);
    return o.type == Type.Object;
  }
  if (taken.type != Type.Array) return false;
  let h = begin(0x61);
  for (let e = taken.firstChild; e.isThere; e = e.nextChild) {
    const pointer = e.type == Type.String ? e.string() : "";
    if (!isPointer(pointer)) return false;
    h = addWord(h, hash(at(o, pointer)));
  }
  hashed = sum(h);
  return true;
}

/** Returns an object of its own, from JSON; absent if it is none. */
export function parse(json: Text): Value {
  if (!json.exists || !valid(json.at, json.at + json.size)) return changetype<Value>(0);
  return changetype<Value>(openDocument(json.at, json.at + json.size, false).root);
}

function hex(w: u64): string {
  let out = "";
  for (let shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef".charAt(<i32>(w >> shift & 15));
  return out;
}

function textOf(v: Value, key: string): Text {
  const member = v.get(key);
  return member.type == Type.String ? member.text() : make(0, 0);
}

function annotation(o: Resource): Text {
  const v = o.get("metadata").get("annotations").get(annotationKey());
  return v.type == Type.String ? v.text() : changetype<Text>(0);
}

function annotationKey(): string {
  const slash = conversion.to.lastIndexOf("/");
  return "conversion." + (slash < 0 ? "" : conversion.to.substring(0, slash)) + "/stash";
}

/** Returns "v1" of "example.com/v1". */
export function bare(apiVersion: string): string {
  return apiVersion.substring(apiVersion.lastIndexOf("/") + 1);
}

/** Names the object for the log. */
export function title(o: Resource): string {
  const metadata = o.get("metadata"), namespace = textOf(metadata, "namespace");
  const name = textOf(metadata, "name");
  return `${textOf(o, "kind")} ${namespace.length ? namespace.toString() + "/" : ""}${name}`;
}
