import { addQuoted, addText, built, separate } from "./build";
import { fail } from "./document";
import { put, wrong } from "./edit";
import { Buffer } from "./memory";
import { skipSpace } from "./scan";
import { make, Text } from "./text";
import { Type, Value } from "./value";

const out = Buffer.make();

/**
 * Makes a list of the map at key: {"web":{"port":80}} becomes [{"name":"web","port":80}] with the member "name", in the order of the
 * map. With a member for the value, {"a":1} becomes [{"name":"a","value":1}]; without one, values must be objects that have no such
 * member yet. Says whether the map was there.
 */
export function listFromMap(v: Value, key: string, name: string, value: string = ""): bool {
  const map = v.map(key);
  if (!map.isThere) return false;
  const nameText = Text.of(name), valueText = Text.of(value);
  out.length = 0;
  out.byte(0x5b);
  for (let m = map.firstChild; m.isThere; m = m.nextChild) {
    const json = m.raw();
    separate(out);
    out.byte(0x7b);
    addQuoted(out, nameText);
    out.byte(0x3a);
    out.append(m.key, m.keySize);
    if (value.length) {
      out.byte(0x2c);
      addQuoted(out, valueText);
      out.byte(0x3a);
      addText(out, json);
      out.byte(0x7d);
      continue;
    }
    if (m.type != Type.Object) {
      wrong(m, "an object");
      return false;
    }
    for (let e = m.firstChild; e.isThere; e = e.nextChild) {
      if (!e.name.same(nameText)) continue;
      fail(v.home, `${e.location()} must not be there: it is where the key of a list element goes`);
      return false;
    }
    const end = json.at + json.size, rest = skipSpace(json.at + 1, end);
    if (rest < end && load<u8>(rest) != 0x7d) out.byte(0x2c);
    out.append(rest, end - rest);
  }
  out.byte(0x5d);
  return put(v, key, built(out));
}

/**
 * The opposite of listFromMap: makes a map of the list at key, by the member name of its elements, which is removed from them. With
 * a member for the value, the elements must have that and the name, and nothing else. An element without name or value, or with
 * the name of another, refuses the object. Says whether the list was there.
 */
export function mapFromList(v: Value, key: string, name: string, value: string = ""): bool {
  const list = v.list(key);
  if (!list.isThere) return false;
  const seen = new Set<string>(), nameText = Text.of(name), valueText = Text.of(value);
  out.length = 0;
  out.byte(0x7b);
  for (let e = list.firstChild; e.isThere; e = e.nextChild) {
    if (e.type != Type.Object) {
      wrong(e, "an object");
      return false;
    }
    const text = e.text(name);
    if (v.refused) return false;
    if (!text.exists) {
      fail(v.home, `${e.location(name)} must be there: it becomes the key of a map`);
      return false;
    }
    const s = text.toString();
    if (seen.has(s)) {
      fail(v.home, `${e.location(name)} must be there once only, but ${text.quoted} is there twice`);
      return false;
    }
    seen.add(s);
    separate(out);
    addQuoted(out, text);
    out.byte(0x3a);
    if (value.length ? !addValue(e, nameText, name, valueText, value) : !addRest(e, nameText)) return false;
  }
  out.byte(0x7d);
  return put(v, key, built(out));
}

/** Adds a list element without its name. */
function addRest(e: Value, name: Text): bool {
  out.byte(0x7b);
  for (let m = e.firstChild; m.isThere; m = m.nextChild) {
    if (m.name.same(name)) continue;
    separate(out);
    out.append(m.key, m.keySize);
    out.byte(0x3a);
    addText(out, m.raw());
  }
  out.byte(0x7d);
  return true;
}

function addValue(e: Value, nameText: Text, name: string, valueText: Text, value: string): bool {
  for (let m = e.firstChild; m.isThere; m = m.nextChild) {
    const key = m.name;
    if (key.same(nameText) || key.same(valueText)) continue;
    fail(e.home, `${m.location()} has no place in a map from ${name} to ${value}`);
    return false;
  }
  const json = e.raw(value);
  if (!json.exists) {
    fail(e.home, `${e.location(value)} must be there: it becomes the value in a map`);
    return false;
  }
  addText(out, json);
  return true;
}
