// Converter modules for the Crosswalk gateway, in JavaScript. See the README.

/**
 * Converts one object in place. An Error that it throws refuses the object, and its message is
 * shown to the kubectl user. Any other exception, such as a TypeError, is a crash of the module,
 * which the gateway counts against it.
 */
export type Converter = (o: Resource) => void;

/** Registers convert for conversions of objects from one apiVersion ("group/version") to another.
 * Call it at the top level. */
export function register(from: string, to: string, convert: Converter): void;

/** Describes the module. Call it at the top level. */
export function describe(description: Description): void;

export interface Description {
  name?: string;
  version?: string;
  /** An SPDX expression. */
  licence?: string;
  /** Where the source is. */
  source?: string;
}

/**
 * Declares the fields that the converters read and write of objects in an apiVersion. The gateway
 * shows the converters only the declared fields of the two versions of a conversion, and lets them
 * change only these. Call it at the top level, once for each version; a version without such
 * fields needs an empty list. The gateway's docs/spec/abi.md has the rules of paths: spec.size,
 * spec.disks[].name, spec.limits.*.cpu, metadata.annotations['example.com/kept']. A list whose
 * elements are added, removed or sorted is declared as a whole; isFragment and default need
 * metadata.uid, and the stash metadata.annotations['conversion.<group>/stash'].
 */
export function declareFields(apiVersion: string, paths: string[]): void;

/**
 * Returns a converter that keeps the fields that the target version lacks: it begins with restore,
 * converts with convert and back with back, and stashes every difference from the original object.
 * The converter of the other direction must be lossless, too, or begin with restore. It costs a
 * conversion back and a comparison for every object; the stashed values are dropped if a client
 * changes more than metadata and status in the target version. stashFor is faster and can keep
 * more.
 */
export function lossless(convert: Converter, back: Converter): Converter;

/** Writes a line to the gateway's log, as console.log does. The kubectl user does not see it. */
export const log: Record<"debug" | "info" | "warn" | "error", (...words: unknown[]) => void>;

/**
 * A number that JavaScript would spell differently from the object: 1.50, 9007199254740993. set
 * and append accept it. Number(n) is its value in JavaScript, n.text its spelling. n + 1 throws for
 * an integer that a number does not hold exactly.
 */
export class NumberText {
  constructor(text: string);
  readonly text: string;
}

/** The values that set and append accept: JSON values and BigInt. Members that are undefined are omitted. */
export type JSONValue = string | number | bigint | boolean | null | NumberText | Value | JSONValue[] | { [key: string]: JSONValue | undefined };

/**
 * One JSON value of the object. A key names a member of it; no key means the value itself. A value
 * is
 *
 * - absent if it is missing or null. This is not an error: readers return undefined; remove,
 *   rename and move do nothing. All methods accept an absent value, so lookups chain:
 *   o.get("metadata").get("labels").
 * - wrong if it has another type. This refuses the object with a message that names the path and
 *   both types. The conversion continues as if the value were absent; its result is discarded.
 *
 * Valid until the conversion returns; later, its methods throw.
 */
export class Value {
  private constructor();
  readonly type: "undefined" | "null" | "boolean" | "number" | "string" | "array" | "object";
  /** Whether the value is present and not null. */
  readonly exists: boolean;
  /** The key of a member; "" for others. */
  readonly name: string;
  /** Whether the object is refused already. */
  readonly refused: boolean;

  has(key: string): boolean;
  /** The member at key, of any type. */
  get(key: string): Value;
  /** The object at key. */
  map(key?: string): Value;
  /** The array at key. */
  list(key?: string): Value;
  string(key?: string): string | undefined;
  /** An integer of 64 bits; a bigint if it is beyond 2^53-1. A fraction or an exponent is wrong. */
  int(key?: string): number | bigint | undefined;
  bool(key?: string): boolean | undefined;
  /** The JSON text at key, null included, as it is spelled. */
  raw(key?: string): string | undefined;
  /** The value at key as JavaScript objects, arrays and so on; numbers that would change their spelling are NumberTexts. */
  value(key?: string): any;
  /** The elements of the array at key. The loop may edit and remove the current one. */
  elements(key?: string): Iterable<Value>;
  /** The members of the object at key, with their keys. The loop may edit, rename and remove the current one. */
  members(key?: string): Iterable<[string, Value]>;
  /** The location of the member at key: ".spec.list[0].name". */
  location(key?: string): string;

  /** Sets the member at key, in place or as the last member. If this value is null, it becomes an object. */
  set(key: string, v: JSONValue): void;
  /** Sets the member at key to JSON text. Text that is not JSON refuses the object. */
  setRaw(key: string, json: string): void;
  /** Replaces this value. */
  replace(v: JSONValue): void;
  /** Appends an element to the array at key. Creates the array if it is absent or null. */
  append(key: string | undefined, v: JSONValue): void;
  appendRaw(key: string | undefined, json: string): void;
  /** The object at key, created if it is absent or null. A value of another type refuses the object. */
  make(key: string): Value;
  /** Removes the member at key, or this value itself, and reports whether it was present. */
  remove(key?: string): boolean;
  /**
   * Removes the object at key if it has no members, and reports whether it did. Call it after a move out of the object: an object
   * that only the other version has would stay, empty.
   */
  removeIfEmpty(key: string): boolean;
  /** Changes the key of the member at key; the member keeps its position. A key that is already taken refuses the object. */
  rename(key: string, newKey: string): boolean;
  /** Moves the member at key, with its text and edits, to the end of the object to. A key that is already taken refuses the object. */
  move(key: string, to: Value, newKey: string): boolean;

  /** Cuts the string at key at every separator, removes it, and sets one key of to for each part. Reports whether it was present. */
  split(key: string, separator: string, to: string[]): boolean;
  /** The inverse. If a part is absent, it does nothing and returns false. */
  join(key: string, separator: string, from: string[]): boolean;
  /** Like split, at the last separators only: the first part may contain separators. */
  splitLast(key: string, separator: string, to: string[]): boolean;
  /** The inverse of splitLast. */
  joinLast(key: string, separator: string, from: string[]): boolean;
  /** Replaces the string at key by the integer that it has in decimal digits: "80" by 80. Another spelling refuses the object. */
  intFromString(key: string): boolean;
  /** The inverse. A number with a fraction or an exponent refuses the object. */
  stringFromInt(key: string): boolean;
  /** Cuts the string at key into a list of strings; the empty string becomes an empty list. */
  splitList(key: string, separator: string): boolean;
  joinList(key: string, separator: string): boolean;
  /** {"a":{"x":1}} becomes [{"name":"a","x":1}]; with a name for the value, {"a":1} becomes [{"name":"a","value":1}]. */
  listFromMap(key: string, name: string, value?: string): boolean;
  mapFromList(key: string, name: string, value?: string): boolean;
  /** Replaces the string at key by its translation in pairs, and reports whether there is one. */
  translate(key: string, pairs: [string, string][]): boolean;
  /** The opposite direction. Of pairs with the same right side, the first one counts. */
  translateBack(key: string, pairs: [string, string][]): boolean;
  /** Sets an absent or null member; not in a fragment, and not if this value is absent. Reports whether it set the member. */
  default(key: string, v: JSONValue): boolean;
  /** Removes the member at key and keeps it for the conversion back, unless more than metadata and status changes in the other version. */
  stash(key: string): boolean;
  /** Does as stash, but restores the member if the values at the paths unchanged have not changed: without paths, always. */
  stashFor(key: string, unchanged: string[][]): boolean;

  /** Refuses the object with a message for the kubectl user, and ends the conversion. */
  refuse(message: string): never;
}

/**
 * The Kubernetes object that a converter converts. It has apiVersion, kind, metadata (without
 * managedFields and resourceVersion) and the fields of its version. Any of them may be absent,
 * because server-side apply converts fragments. Of the metadata, only changes to labels and
 * annotations reach the API server.
 */
export class Resource extends Value {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  /** Whether the object may be a fragment, as server-side apply converts them: it has no metadata.uid. */
  readonly isFragment: boolean;
  label(name: string): string | undefined;
  setLabel(name: string, value: string): void;
  /** Removes the label, and metadata.labels with the last label. */
  removeLabel(name: string): boolean;
  annotation(name: string): string | undefined;
  setAnnotation(name: string, value: string): void;
  removeAnnotation(name: string): boolean;
  /** Restores the stashed values. A converter of objects with a stash must call it first. */
  restore(): void;
}

/** For tests: converts objects, JSON texts, to a version, in Node.js itself. Each answer is one of the two. */
export function convert(desired: string, objects: string[]): { object?: string; refusal?: string }[];
