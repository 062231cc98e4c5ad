// What a converter imports, given the operations of the documents (engine/operations.ts): within the engine those of WebAssembly beside
// it, in a test those that native.js runs. A value is a handle on the object's text, which stays with the operations: what a converter
// does not ask for is not parsed, and what it does not change is copied byte for byte. What everything does is said in index.d.ts.
import { NumberText, Odd, parse, write } from "./json.js";
import {
  APPEND_JSON, APPEND_STRING, BOOL, COMPARE, CONVERTED, CRASH, DECLARE, DEFAULT, DESCRIBE, FAIL, FIRST, GET, INT, INT_FROM_STRING, IS_FRAGMENT, JOIN, JOIN_LAST, JOIN_LIST,
  JSON_TEXT, LIST, LIST_FROM_MAP, LOCATION, LOG, MAKE, MAP, MAP_FROM_LIST, MOVE, NAME, NEXT, REFUSE, REFUSED, REGISTER, REMOVE, RENAME, RESTORE, SET_JSON,
  SET_STRING, SPLIT, SPLIT_LAST, SPLIT_LIST, STASH, STASH_FOR, STRING_FROM_INT, TEXT, TYPE,
} from "./operations.js";

const types = ["undefined", "null", "boolean", "number", "string", "array", "object"];

const asynchronous = "the converter is asynchronous, and there is nothing to wait for in a gateway";

class Refusal extends Error {}

/** Makes the SDK. call(operation, ...arguments) does an operation. */
export function bind(call) {
  // A gateway counts a script's work in instructions of the engine, and a function of JavaScript costs it tens of thousands to enter. So the
  // methods call the engine at once.
  class Value {
    #at; // the handle
    constructor(handle) { this.#at = handle ?? 0; }

    get type() { return types[call(TYPE, this.#at)]; }
    get exists() { return call(TYPE, this.#at) > 1; }
    get name() { return call(NAME, this.#at) ?? ""; }
    has(key) { return call(GET, this.#at, key) !== undefined; }
    get(key) { return new Value(call(GET, this.#at, key)); }
    map(key) { return new Value(call(MAP, this.#at, key)); }
    list(key) { return new Value(call(LIST, this.#at, key)); }
    string(key) { return call(TEXT, this.#at, key); }
    int(key) {
      const i = call(INT, this.#at, key);
      return typeof i === "string" ? BigInt(i) : i;
    }
    bool(key) { return call(BOOL, this.#at, key); }
    raw(key) { return call(JSON_TEXT, this.#at, key); }
    value(key) {
      const text = call(JSON_TEXT, this.#at, key);
      return text === undefined ? undefined : parse(text);
    }
    * elements(key) {
      for (let h = call(FIRST, this.list(key).#at); h !== undefined; h = call(NEXT, h)) yield new Value(h);
    }
    * members(key) {
      for (let h = call(FIRST, this.map(key).#at); h !== undefined; h = call(NEXT, h)) yield [call(NAME, h) ?? "", new Value(h)];
    }
    location(key) { return call(LOCATION, this.#at, key); }

    set(key, v) {
      if (typeof v === "string") call(SET_STRING, this.#at, key, v);
      else call(SET_JSON, this.#at, key, write(v, Value.#text));
    }
    setRaw(key, json) { call(SET_JSON, this.#at, key, String(json)); }
    replace(v) { this.set(undefined, v); }
    append(key, v) {
      if (typeof v === "string") call(APPEND_STRING, this.#at, key, v);
      else call(APPEND_JSON, this.#at, key, write(v, Value.#text));
    }
    appendRaw(key, json) { call(APPEND_JSON, this.#at, key, String(json)); }
    make(key) { return new Value(call(MAKE, this.#at, key)); }
    remove(key) { return call(REMOVE, this.#at, key); }
    removeIfEmpty(key) {
      if (!this.get(key).exists) return false;
      for (const _ of this.members(key)) return false;
      return this.remove(key);
    }
    rename(key, newKey) { return call(RENAME, this.#at, key, newKey); }
    move(key, to, newKey) { return call(MOVE, this.#at, key, to.#at, newKey); }

    split(key, separator, to) { return call(SPLIT, this.#at, key, separator, ...to); }
    join(key, separator, from) { return call(JOIN, this.#at, key, separator, ...from); }
    splitLast(key, separator, to) { return call(SPLIT_LAST, this.#at, key, separator, ...to); }
    joinLast(key, separator, from) { return call(JOIN_LAST, this.#at, key, separator, ...from); }
    intFromString(key) { return call(INT_FROM_STRING, this.#at, key); }
    stringFromInt(key) { return call(STRING_FROM_INT, this.#at, key); }
    splitList(key, separator) { return call(SPLIT_LIST, this.#at, key, separator); }
    joinList(key, separator) { return call(JOIN_LIST, this.#at, key, separator); }
    listFromMap(key, name, value = "") { return call(LIST_FROM_MAP, this.#at, key, name, value); }
    mapFromList(key, name, value = "") { return call(MAP_FROM_LIST, this.#at, key, name, value); }
    translate(key, pairs) { return this.#replaceBy(key, pairs, 0); }
    translateBack(key, pairs) { return this.#replaceBy(key, pairs, 1); }
    default(key, v) { return call(DEFAULT, this.#at, key, write(v, Value.#text)); }
    stash(key) { return call(STASH, this.#at, key); }
    stashFor(key, unchanged) { return call(STASH_FOR, this.#at, key, ...unchanged.flatMap((path) => [path.length, ...path])); }
    toJSON() { throw new Odd(); }
    refuse(message) { throw new Refusal(message); }
    get refused() { return call(REFUSED, this.#at); }

    // What only a Resource has is here, as private names do not reach into it.
    static isFragment(o) { return call(IS_FRAGMENT, o.#at); }
    static restore(o) { call(RESTORE, o.#at); }
    static convertBack(o, back) {
      const again = call(CONVERTED, o.#at);
      if (again === undefined) return;
      run(back, new Resource(again));
      call(COMPARE, o.#at, again);
    }
    static #text(v) { return v instanceof Value ? v.raw() ?? "null" : undefined; }
    static log(word) { return typeof word === "string" ? word : word instanceof Error ? String(word) : word === undefined ? "undefined" : write(word, Value.#text); }

    #replaceBy(key, pairs, from) {
      const s = this.string(key), pair = s === undefined ? undefined : pairs.find((pair) => pair[from] === s);
      if (pair && pair[1 - from] !== s) this.set(key, pair[1 - from]);
      return pair !== undefined;
    }
  }

  class Resource extends Value {
    get apiVersion() { return this.string("apiVersion"); }
    get kind() { return this.string("kind"); }
    get isFragment() { return Value.isFragment(this); }
    label(name) { return this.get("metadata").get("labels").string(name); }
    setLabel(name, value) { this.make("metadata").make("labels").set(name, String(value)); }
    removeLabel(name) { return removeFrom(this, "labels", name); }
    annotation(name) { return this.get("metadata").get("annotations").string(name); }
    setAnnotation(name, value) { this.make("metadata").make("annotations").set(name, String(value)); }
    removeAnnotation(name) { return removeFrom(this, "annotations", name); }
    restore() { Value.restore(this); }
  }

  function removeFrom(o, field, name) {
    const metadata = o.get("metadata"), values = metadata.get(field);
    if (!values.remove(name)) return false;
    for (const _ of values.members()) return true;
    metadata.remove(field);
    return true;
  }

  // Runs a converter on an object. A Refusal or a plain Error refuses the object; anything else that is thrown is a crash of the module.
  function run(convert, o) {
    try {
      if (convert(o) instanceof Promise) call(CRASH, asynchronous);
    } catch (e) {
      if (e instanceof Refusal) call(REFUSE, e.message);
      else if (e?.constructor === Error) call(FAIL, e.message);
      else call(CRASH, `uncaught ${e}${where(e)}`);
    }
  }

  // The author's lines that an error comes from, the innermost first.
  function where(e) {
    const most = 5, places = [];
    for (const line of String(e?.stack ?? "").split("\n")) {
      const place = /([^/\\(\s]+:\d+:\d+)\)?$/.exec(line);
      const ours = place && /^(crosswalk|json|native)\.js:/.test(place[1]);
      if (places.length === most || ours && places.length > 0) break; // what called the converter
      if (place && !ours) places.push(place[1]);
    }
    return places.length > 0 ? " at " + places.join(", called at ") : "";
  }

  const converters = [], declared = new Set();
  let described = { language: "javascript", sdk: "crosswalk-javascript/1.0.0" };
  const log = (level) => (...words) => call(LOG, level, words.map(Value.log).join(" "));

  call(DESCRIBE, JSON.stringify(described));
  return {
    /** Runs the converter of that number: what the engine calls for each object. */
    dispatch(index, handle) {
      run(converters[index], new Resource(handle));
    },
    register(from, to, convert) {
      if (typeof convert !== "function") throw new TypeError(`the conversion from ${from} to ${to} has no function`);
      const wrong = call(REGISTER, String(from), String(to));
      if (wrong) throw new Error(wrong);
      converters.push(convert);
    },
    describe(description) {
      described = { ...described, ...description };
      call(DESCRIBE, JSON.stringify(described));
    },
    declareFields(apiVersion, paths) {
      if (declared.has(apiVersion)) throw new Error(`the fields of ${apiVersion} are declared twice`);
      declared.add(apiVersion);
      call(DECLARE, String(apiVersion), ...paths);
    },
    lossless(convert, back) {
      return (o) => {
        o.restore();
        if (convert(o) instanceof Promise) return void call(CRASH, asynchronous);
        Value.convertBack(o, back);
      };
    },
    log: { debug: log(0), info: log(1), warn: log(2), error: log(3) },
    NumberText,
  };
}
