// What a converter finds in the variable crosswalk. It runs within the engine, once when a module is packed; types and words are in
// crosswalk.d.ts. A value is a handle on the object's text, which stays in the engine: what a converter does not ask for is not parsed,
// and what it does not change is copied byte for byte.
"use strict";
globalThis.crosswalk = (() => {
  const call = globalThis.__crosswalk;
  delete globalThis.__crosswalk;
  let n = 0;
  const GET = n++, MAP = n++, LIST = n++, TEXT = n++, INT = n++, BOOL = n++, JSON_TEXT = n++, FIRST = n++, NEXT = n++, TYPE = n++, NAME = n++,
    LOCATION = n++, SET_STRING = n++, SET_JSON = n++, APPEND_STRING = n++, APPEND_JSON = n++, MAKE = n++, REMOVE = n++, RENAME = n++, MOVE = n++,
    REFUSE = n++, FAIL = n++, LOG = n++, REGISTER = n++, DESCRIBE = n++, SPLIT = n++, JOIN = n++, SPLIT_LIST = n++, JOIN_LIST = n++,
    LIST_FROM_MAP = n++, MAP_FROM_LIST = n++, DEFAULT = n++, IS_FRAGMENT = n++, STASH = n++, STASH_FOR = n++, RESTORE = n++, CONVERTED = n++,
    COMPARE = n++;
  const types = [undefined, "null", "boolean", "number", "string", "array", "object"];
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

  class Refusal extends Error {}

  // A number that JavaScript would write otherwise than it is written in the object: 1.50, 9007199254740993.
  class NumberText {
    constructor(text) { this.text = text; }
    valueOf() { return Number(this.text); }
    toString() { return this.text; }
    toJSON() { return { "\u0000number": this.text }; }
  }

  function parse(text) {
    if (text === undefined) return undefined;
    let odd = false;
    const marked = text.replace(tokens, (token) => {
      if (token[0] === '"' || String(Number(token)) === token) return token;
      odd = true;
      return `{"\\u0000number":"${token}"}`;
    });
    if (!odd) return JSON.parse(text);
    return JSON.parse(marked, (key, v) => v !== null && typeof v === "object" && "\u0000number" in v ? new NumberText(v["\u0000number"]) : v);
  }

  function stringify(v) {
    if (v instanceof Value) return v.json();
    const text = JSON.stringify(v, (key, v) => typeof v === "bigint" ? { "\u0000number": String(v) } : v instanceof Value ? v.value() : v);
    if (text === undefined) throw new TypeError(`${typeof v} is no JSON value`);
    return text.includes('{"\\u0000number":') ? text.replace(/"(?:[^"\\]|\\.)*"|\{"\\u0000number":"([^"]*)"\}/g, (token, number) => number ?? token) : text;
  }

  const wrap = (handle) => new Value(handle ?? 0);

  class Value {
    #handle;
    constructor(handle) { this.#handle = handle; }
    static handleOf(v) { return v.#handle; }
    get type() { return types[call(TYPE, this.#handle)]; }
    get exists() { return call(TYPE, this.#handle) > 1; }
    get name() { return call(NAME, this.#handle); }
    has(key) { return call(GET, this.#handle, key) !== undefined; }
    get(key) { return wrap(call(GET, this.#handle, key)); }
    map(key) { return wrap(call(MAP, this.#handle, key)); }
    list(key) { return wrap(call(LIST, this.#handle, key)); }
    string(key) { return call(TEXT, this.#handle, key); }
    int(key) {
      const i = call(INT, this.#handle, key);
      return typeof i === "string" ? BigInt(i) : i;
    }
    bool(key) { return call(BOOL, this.#handle, key); }
    json(key) { return call(JSON_TEXT, this.#handle, key); }
    value(key) { return parse(call(JSON_TEXT, this.#handle, key)); }
    * elements(key) {
      for (let h = call(FIRST, Value.handleOf(this.list(key))); h !== undefined; h = call(NEXT, h)) yield new Value(h);
    }
    * members(key) {
      for (let h = call(FIRST, Value.handleOf(this.map(key))); h !== undefined; h = call(NEXT, h)) yield [call(NAME, h), new Value(h)];
    }
    location(key) { return call(LOCATION, this.#handle, key); }
    set(key, v) {
      if (typeof v === "string") call(SET_STRING, this.#handle, key, v);
      else call(SET_JSON, this.#handle, key, stringify(v));
    }
    replace(v) { this.set(undefined, v); }
    append(key, v) {
      if (typeof v === "string") call(APPEND_STRING, this.#handle, key, v);
      else call(APPEND_JSON, this.#handle, key, stringify(v));
    }
    make(key) { return wrap(call(MAKE, this.#handle, key)); }
    remove(key) { return call(REMOVE, this.#handle, key); }
    rename(key, newKey) { return call(RENAME, this.#handle, key, newKey); }
    move(key, to, newKey) { return call(MOVE, this.#handle, key, to.#handle, newKey); }
    split(key, separator, to) { return call(SPLIT, this.#handle, key, separator, ...to); }
    join(key, separator, from) { return call(JOIN, this.#handle, key, separator, ...from); }
    splitList(key, separator) { return call(SPLIT_LIST, this.#handle, key, separator); }
    joinList(key, separator) { return call(JOIN_LIST, this.#handle, key, separator); }
    listFromMap(key, name, value = "") { return call(LIST_FROM_MAP, this.#handle, key, name, value); }
    mapFromList(key, name, value = "") { return call(MAP_FROM_LIST, this.#handle, key, name, value); }
    translate(key, pairs) { return this.#replaceBy(key, pairs, 0); }
    translateBack(key, pairs) { return this.#replaceBy(key, pairs, 1); }
    #replaceBy(key, pairs, from) {
      const s = this.string(key), pair = s === undefined ? undefined : pairs.find((pair) => pair[from] === s);
      if (pair && pair[1 - from] !== s) this.set(key, pair[1 - from]);
      return pair !== undefined;
    }
    default(key, v) { return call(DEFAULT, this.#handle, key, stringify(v)); }
    stash(key) { return call(STASH, this.#handle, key); }
    stashFor(paths, key) { return call(STASH_FOR, this.#handle, key, ...paths.flatMap((path) => [path.length, ...path])); }
    refuse(message) { throw new Refusal(message); }
  }

  class Resource extends Value {
    get apiVersion() { return this.string("apiVersion"); }
    get kind() { return this.string("kind"); }
    get isFragment() { return call(IS_FRAGMENT, Value.handleOf(this)); }
    label(name) { return this.get("metadata").get("labels").string(name); }
    setLabel(name, value) { this.make("metadata").make("labels").set(name, String(value)); }
    removeLabel(name) { return removeFrom(this, "labels", name); }
    annotation(name) { return this.get("metadata").get("annotations").string(name); }
    setAnnotation(name, value) { this.make("metadata").make("annotations").set(name, String(value)); }
    removeAnnotation(name) { return removeFrom(this, "annotations", name); }
    restore() { call(RESTORE, Value.handleOf(this)); }
  }

  function removeFrom(o, field, name) {
    const metadata = o.get("metadata"), values = metadata.get(field);
    if (!values.remove(name)) return false;
    if (call(FIRST, Value.handleOf(values)) === undefined) metadata.remove(field);
    return true;
  }

  const converters = [];

  // Runs a converter on an object; what it throws refuses the object.
  function run(convert, o) {
    try {
      if (convert(o) instanceof Promise) call(FAIL, "the converter is asynchronous, and there is nothing to wait for in a gateway");
    } catch (e) {
      if (e instanceof Refusal) call(REFUSE, e.message);
      else if (e?.constructor === Error) call(FAIL, e.message);
      else call(FAIL, `the converter threw ${e}${/\n?\s*at (.*)/.test(e?.stack) ? " at " + RegExp.$1 : ""}`);
    }
  }

  // Keeps by itself what the other version cannot hold.
  function lossless(o, convert, back) {
    o.restore();
    if (convert(o) instanceof Promise) throw new Error("the converter is asynchronous, and there is nothing to wait for in a gateway");
    const again = call(CONVERTED, Value.handleOf(o));
    if (again === undefined) return;
    run(back, new Resource(again));
    call(COMPARE, Value.handleOf(o), again);
  }

  const log = (level) => (...words) => call(LOG, level, words.map((w) => w instanceof Value ? w.json() ?? "nothing" : typeof w === "string" ? w : stringify(w)).join(" "));
  globalThis.console = { debug: log(0), log: log(1), info: log(1), warn: log(2), error: log(3) };
  globalThis.__dispatch = (index, handle) => run(converters[index], new Resource(handle));

  return Object.freeze({
    register(from, to, convert) {
      if (typeof convert !== "function") throw new TypeError(`the conversion from ${from} to ${to} has no function`);
      const wrong = call(REGISTER, String(from), String(to));
      if (wrong) throw new Error(wrong);
      converters.push(convert);
    },
    describe(description) {
      call(DESCRIBE, JSON.stringify({ language: "javascript", sdk: "crosswalk-javascript/1.0.0", ...description }));
    },
    lossless, Value, Resource, NumberText,
  });
})();
crosswalk.describe({});
