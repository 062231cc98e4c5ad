// Converter modules for the Crosswalk gateway, in JavaScript. See the README.

/**
 * Converts one object in place. An Error that it throws refuses the object, with its message for the person at kubectl. Anything else that is
 * thrown, such as a TypeError, is a crash of the module, which the gateway counts against it.
 */
export type Converter = (o: Resource) => void;

/** Makes convert the conversion of objects from one apiVersion ("group/version") to another; called where the module begins. */
export function register(from: string, to: string, convert: Converter): void;

/** Says what the module is; called where it begins. */
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
 * Declares the fields that the converters read and write of objects in an apiVersion: the gateway shows them these only, those of the version
 * that they convert from and of the one they convert to, and lets them change these only. Called where the module begins, once for each
 * version; one of which nothing is read or written needs an empty list. docs/abi.md of the gateway has the rules of paths: spec.size,
 * spec.disks[].name, spec.limits.*.cpu, metadata.annotations['example.com/kept']. A list whose elements are added, removed or sorted is
 * declared as a whole; isFragment and default need metadata.uid, and the stash metadata.annotations['conversion.<group>/stash'].
 */
export function declareFields(apiVersion: string, paths: string[]): void;

/**
 * Makes a converter that keeps by itself what the version it converts to cannot hold: it begins with restore, converts with convert and
 * back with back, and stashes what comes out different from the object as it came. The other direction may be lossless as well, or begin
 * with restore. It costs a conversion back and a comparison for every object; what it keeps is dropped when anything but metadata and
 * status is changed in the version converted to. stashFor is faster and can keep more.
 */
export function lossless(convert: Converter, back: Converter): Converter;

/** Writes a line to the gateway's log, as console.log does. The person who asked for the conversion does not see it. */
export const log: Record<"debug" | "info" | "warn" | "error", (...words: unknown[]) => void>;

/**
 * A number that JavaScript would write otherwise than it is written in the object: 1.50, 9007199254740993. set and append take it, and what
 * is in it. Number(n) is its value as JavaScript knows it, n.text its spelling.
 */
export class NumberText {
  constructor(text: string);
  readonly text: string;
}

/** What set and append take: what JSON has, and BigInt. Members that are undefined are left out. */
export type JSONValue = string | number | bigint | boolean | null | NumberText | Value | JSONValue[] | { [key: string]: JSONValue | undefined };

/**
 * One JSON value of the object that is being converted. A key leads to a member of it; no key means the value itself. What is
 *
 * - absent (missing or null) is no error: readers return undefined; removing, renaming and moving do nothing. All methods may be called on
 *   it, so that lookups chain: o.get("metadata").get("labels").
 * - wrong, there and of another type, refuses the object with a message that says where and what. The conversion goes on as if it
 *   were absent; nothing of it is used.
 *
 * Usable until the conversion returns; later, its methods throw.
 */
export class Value {
  private constructor();
  readonly type: "undefined" | "null" | "boolean" | "number" | "string" | "array" | "object";
  /** Whether it is there and not null. */
  readonly exists: boolean;
  /** The key of a member; "" for others. */
  readonly name: string;
  /** Whether the object is refused already. */
  readonly refused: boolean;

  has(key: string): boolean;
  /** The member at key, whatever it is. */
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
  /** What is at key, as JavaScript's own objects, arrays and so on; numbers that would change their spelling are NumberTexts. */
  value(key?: string): any;
  /** The elements of the array at key. The one at hand may be edited and removed. */
  elements(key?: string): Iterable<Value>;
  /** The members of the object at key, with their keys. The one at hand may be edited, renamed and removed. */
  members(key?: string): Iterable<[string, Value]>;
  /** Where the member at key is: ".spec.list[0].name". */
  location(key?: string): string;

  /** Puts a value at key, in place of what is there or as the last member. If this is null, it becomes an object. */
  set(key: string, v: JSONValue): void;
  /** Puts JSON at key. What is none refuses the object. */
  setRaw(key: string, json: string): void;
  /** Puts a value in place of this one. */
  replace(v: JSONValue): void;
  /** Adds an element to the array at key, which is made if it is absent or null. */
  append(key: string | undefined, v: JSONValue): void;
  appendRaw(key: string | undefined, json: string): void;
  /** The object at key, made if it is absent or null. Something else there refuses the object. */
  make(key: string): Value;
  /** Removes the member at key, or this value from what it is in, and says whether it was there. */
  remove(key?: string): boolean;
  /** Gives the member at key another key; it keeps its place. A key that is taken refuses the object. */
  rename(key: string, newKey: string): boolean;
  /** Makes the member at key, its text and edits unchanged, the last member of the object to. A key that is taken refuses the object. */
  move(key: string, to: Value, newKey: string): boolean;

  /** Cuts the string at key at every separator, one part for each key of to; the string goes. Says whether it was there. */
  split(key: string, separator: string, to: string[]): boolean;
  /** The opposite. If any part is absent, nothing happens and false is returned. */
  join(key: string, separator: string, from: string[]): boolean;
  /** Makes a list of strings of the string at key; of the empty string, an empty list. */
  splitList(key: string, separator: string): boolean;
  joinList(key: string, separator: string): boolean;
  /** {"a":{"x":1}} becomes [{"name":"a","x":1}]; with a name for the value, {"a":1} becomes [{"name":"a","value":1}]. */
  listFromMap(key: string, name: string, value?: string): boolean;
  mapFromList(key: string, name: string, value?: string): boolean;
  /** Replaces the string at key by its partner in pairs, and says whether it has one. */
  translate(key: string, pairs: [string, string][]): boolean;
  /** The other way round. Of pairs that say the same on the right, the first one counts. */
  translateBack(key: string, pairs: [string, string][]): boolean;
  /** Puts a value at key if nothing, or null, is there; not in a fragment, and not where this is absent. Says whether it did. */
  default(key: string, v: JSONValue): boolean;
  /** Keeps the member at key for the way back, as long as nothing but metadata and status is changed in the other version. */
  stash(key: string): boolean;
  /** Keeps it as long as what is at the paths stays the same: no path, for ever. */
  stashFor(key: string, unchanged: string[][]): boolean;

  /** Refuses the object with what the person at kubectl reads, and ends the conversion. */
  refuse(message: string): never;
}

/**
 * One Kubernetes object that is being converted. It has apiVersion, kind, metadata (without managedFields and resourceVersion) and
 * whatever else the version has; any of it may be absent, as server-side apply converts fragments. Of the metadata, changes to
 * labels and annotations alone reach the API server.
 */
export class Resource extends Value {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  /** Whether it may be a part of an object, as server-side apply has them converted: it has no metadata.uid. */
  readonly isFragment: boolean;
  label(name: string): string | undefined;
  setLabel(name: string, value: string): void;
  /** Removes the label, and the labels as a whole when it was the last. */
  removeLabel(name: string): boolean;
  annotation(name: string): string | undefined;
  setAnnotation(name: string, value: string): void;
  removeAnnotation(name: string): boolean;
  /** Puts back what was stashed; the first thing that a converter of objects with a stash does. */
  restore(): void;
}

/** For tests: converts objects, JSON texts, to a version, in Node.js itself. Each answer is one of the two. */
export function convert(desired: string, objects: string[]): { object?: string; refusal?: string }[];
