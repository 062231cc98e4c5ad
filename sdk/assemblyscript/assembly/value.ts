import { Document, enter, find, finish, GONE, plain, kindOf, scan, fail, current, ESCAPED } from "./document";
import { append, checked, literal, makeObject, move, put, quotedBytes, quotedString, remove, rename, wrong } from "./edit";
import { location } from "./location";
import { Buffer } from "./memory";
import { render } from "./render";
import { make as makeText, Text } from "./text";
import { keep } from "./document";

/** The JSON type of a value. */
export enum Type { Absent, Null, Bool, Number, String, Array, Object }

export function typeName(t: Type): string {
  switch (t) {
    case Type.Null: return "null";
    case Type.Bool: return "a boolean";
    case Type.Number: return "a number";
    case Type.String: return "a string";
    case Type.Array: return "an array";
    case Type.Object: return "an object";
  }
  return "nothing";
}

const rendered = Buffer.make();

/**
 * One JSON value of the object, or the object itself. A key names a member of it; no key means the
 * value itself. A value is
 *
 * - absent if it is missing or null. This is not an error: readers return a text that does not
 *   exist, or their second argument; remove, rename and move do nothing. All methods accept an
 *   absent value, so lookups chain: o.get("metadata").get("labels").
 * - wrong if it has another type. This refuses the object with a message that names the path and
 *   both types. The conversion continues as if the value were absent; its result is discarded.
 *
 * Valid until the conversion returns.
 */
@unmanaged
export class Value {
  /** @internal */ key: usize; // with its quotes; where the value is, for elements and the root
  /** @internal */ at: usize; // the value
  /** @internal */ end: usize; // 0 as long as it is not known
  /** @internal */ parent: Value | null;
  /** @internal */ next: Value | null;
  /** @internal */ first: Value | null;
  /** @internal */ last: Value | null;
  /** @internal */ found: Value | null; // the member that was asked for last
  /** @internal */ homeAt: usize;
  /** @internal */ keySize: u32;
  /** @internal */ flags: u32;

  /** @internal */
  get home(): Document {
    return changetype<Document>(this.homeAt);
  }

  /** @internal */
  set home(d: Document) {
    this.homeAt = changetype<usize>(d);
  }

  get type(): Type {
    if (changetype<usize>(this) == 0) return Type.Absent;
    switch (kindOf(this)) {
      case 0: return Type.Absent;
      case 0x7b: return Type.Object;
      case 0x5b: return Type.Array;
      case 0x22: return Type.String;
      case 0x74: case 0x66: return Type.Bool;
      case 0x6e: return Type.Null;
    }
    return Type.Number;
  }

  /** Whether the value is there and not null. */
  get exists(): bool {
    return this.type > Type.Null;
  }

  /** The key of a member; empty for others. */
  get name(): Text {
    if (changetype<usize>(this) == 0 || this.keySize < 2) return makeText(0, 0);
    if (this.flags & ESCAPED) return plain(this.key, this.key + this.keySize);
    return makeText(this.key + 1, this.keySize - 2);
  }

  /** Whether the member is there and not null. */
  has(key: string): bool {
    return this.get(key).exists;
  }

  /** The member at key; a value that does not exist if it is absent, null, or this is no object. */
  get(key: string): Value {
    const v = changetype<Value>(find(orNull(this), key));
    return v.exists ? v : changetype<Value>(0);
  }

  /** The member at key, null or not. */
  member(key: string): Value {
    return changetype<Value>(find(orNull(this), key));
  }

  /** The text of the string at key. */
  text(key: string | null = null): Text {
    const v = this.read(key, Type.String, "a string");
    if (!v) return changetype<Text>(0);
    finish(v);
    return plain(v.at, v.end);
  }

  /** The string at key; otherwise if it is absent. What one only cuts, compares or copies is faster as a text. */
  string(key: string | null = null, otherwise: string = ""): string {
    const t = this.text(key);
    return t.exists ? t.toString() : otherwise;
  }

  /** The integer at key; otherwise if it is absent. A number with a fraction or an exponent, or beyond 64 bits, is wrong. */
  int(key: string | null = null, otherwise: i64 = 0): i64 {
    const v = this.read(key, Type.Number, "an integer");
    if (!v) return otherwise;
    finish(v);
    let p = v.at, u: u64 = 0;
    const negative = load<u8>(p) == 0x2d;
    if (negative) p++;
    const limit = <u64>i64.MAX_VALUE + <u64>negative;
    let good = p < v.end;
    for (; p < v.end && good; p++) {
      const digit = <u64>load<u8>(p) - 0x30;
      good = digit <= 9 && u <= (limit - digit) / 10;
      u = u * 10 + digit;
    }
    if (good) return negative ? 0 - <i64>u : <i64>u;
    fail(v.home, location(v, null) + " must be an integer of 64 bits, but is " + makeText(v.at, v.end - v.at).toString());
    return otherwise;
  }

  /** The boolean at key; otherwise if it is absent. */
  bool(key: string | null = null, otherwise: bool = false): bool {
    const v = this.read(key, Type.Bool, "a boolean");
    return v ? load<u8>(v.at) == 0x74 : otherwise;
  }

  /** The array at key, to go through with firstChild and nextChild. */
  list(key: string | null = null): Value {
    return changetype<Value>(this.read(key, Type.Array, "an array"));
  }

  /** The object at key, likewise. */
  map(key: string | null = null): Value {
    return changetype<Value>(this.read(key, Type.Object, "an object"));
  }

  /** The JSON text at key, null included. */
  raw(key: string | null = null): Text {
    const v = key !== null ? find(orNull(this), key) : orNull(this);
    if (!v) return changetype<Text>(0);
    finish(v);
    rendered.length = 0;
    render(rendered, v);
    return makeText(keep(rendered.at, rendered.length), rendered.length);
  }

  /**
   * The first member or element: for (let e = list.firstChild; e.isThere; e = e.nextChild). The one at hand may be edited, renamed
   * and removed.
   */
  get firstChild(): Value {
    if (this.type < Type.Array) return changetype<Value>(0);
    enter(this);
    return present(this, this.first);
  }

  get nextChild(): Value {
    const parent = this.parent;
    return parent ? present(parent, this.next) : changetype<Value>(0);
  }

  /** Whether there is a value, null or not. */
  get isThere(): bool {
    return changetype<usize>(this) != 0;
  }

  /** Sets the member at key, in place or as the last member. If this value is null, it becomes an object. */
  setString(key: string | null, s: string): void {
    put(orNull(this), key, quotedString(s));
  }

  setText(key: string | null, t: Text): void {
    const n = <usize>t.length;
    put(orNull(this), key, quotedBytes(n ? t.at : 0, n));
  }

  setInt(key: string | null, i: i64): void {
    put(orNull(this), key, literal(i.toString()));
  }

  setBool(key: string | null, b: bool): void {
    put(orNull(this), key, literal(b ? "true" : "false"));
  }

  /** Sets the member at key to JSON text. Text that is not JSON refuses the object. */
  setRaw(key: string | null, json: Text): void {
    const kept = checked(orNull(this), key, json);
    if (kept) put(orNull(this), key, kept);
  }

  /** Puts a copy of value at key; nothing if it is absent. */
  setValue(key: string | null, value: Value): void {
    const json = value.raw();
    if (json.exists) put(orNull(this), key, json);
  }

  /** Appends an element to the array at key. Creates the array if it is absent or null. */
  appendString(key: string | null, s: string): void {
    append(orNull(this), key, quotedString(s));
  }

  appendText(key: string | null, t: Text): void {
    const n = <usize>t.length;
    append(orNull(this), key, quotedBytes(n ? t.at : 0, n));
  }

  appendRaw(key: string | null, json: Text): void {
    const kept = checked(orNull(this), key, json);
    if (kept) append(orNull(this), key, kept);
  }

  /** The object at key, created if it is absent or null. A value of another type refuses the object. */
  make(key: string | null = null): Value {
    return changetype<Value>(makeObject(orNull(this), key));
  }

  /** Removes the member at key and says whether it was there. */
  remove(key: string | null = null): bool {
    return remove(orNull(this), key);
  }

  /**
   * Removes the object at key if it has no members, and says whether it did. Call it after a move out of the object: an object that
   * only the other version has would stay, empty.
   */
  removeIfEmpty(key: string): bool {
    const v = this.map(key);
    return v.isThere && !v.firstChild.isThere && v.remove();
  }

  /** Changes the key of the member at key; the member keeps its position. A key that is already taken refuses the object. */
  rename(key: string | null, newKey: string): bool {
    return rename(orNull(this), key, newKey);
  }

  /** Moves the member at key, with its text and edits, to the end of the object to. A key that is already taken refuses the object. */
  move(key: string | null, to: Value, newKey: string): bool {
    return move(orNull(this), key, orNull(to), newKey);
  }

  /** The location of the member at key: ".spec.list[0].name". */
  location(key: string | null = null): string {
    return location(orNull(this), key);
  }

  /** Refuses the object. The message is what the person at kubectl reads; it wins over what was wrong before. */
  refuse(message: string): void {
    const d = changetype<usize>(this) ? this.home : current;
    d.error = null;
    fail(d, message);
  }

  /** Whether the object is refused already. */
  get refused(): bool {
    return (changetype<usize>(this) ? this.home : current).error != null;
  }

  private read(key: string | null, want: Type, words: string): Value | null {
    let v = orNull(this);
    if (!v || v.type <= Type.Null) return null;
    if (key !== null) {
      if (v.type != Type.Object) {
        wrong(v, "an object");
        return null;
      }
      v = find(v, key);
      if (!v || v.type <= Type.Null) return null;
    }
    if (v.type == want) return v;
    wrong(v, words);
    return null;
  }
}

// @ts-ignore: decorator
@inline
function orNull(v: Value): Value | null {
  return changetype<usize>(v) ? v : null;
}

/** Returns child c of n, or the next one that is not gone. */
function present(n: Value, c: Value | null): Value {
  while (c && c.flags & GONE) c = c.next;
  while (!c && !n.end) c = scan(n);
  return changetype<Value>(c);
}
