// What a converter imports, given the operations of the documents (engine/operations.ts): within the engine those of WebAssembly beside
// it, in a test those that native.js runs. A value is a handle on the object's text, which stays with the operations: what a converter
// does not ask for is not parsed, and what it does not change is copied byte for byte. What everything does is said in index.d.ts.
import { NumberText, parse, write } from "./json.js";
import * as op from "./operations.js";

const types = ["undefined", "null", "boolean", "number", "string", "array", "object"];

class Refusal extends Error {}

/** Makes the SDK. call(operation, ...arguments) does an operation. */
export function bind(call) {
  let conversion = 0; // how many objects have been converted: a value of another one is not to be used any more

  class Value {
    #handle;
    #conversion = conversion;
    constructor(handle) { this.#handle = handle ?? 0; }

    get #at() {
      if (this.#conversion !== conversion) throw new Error("a value is used after the conversion of its object has returned");
      return this.#handle;
    }

    get type() { return types[call(op.TYPE, this.#at)]; }
    get exists() { return call(op.TYPE, this.#at) > 1; }
    get name() { return call(op.NAME, this.#at) ?? ""; }
    has(key) { return call(op.GET, this.#at, key) !== undefined; }
    get(key) { return new Value(call(op.GET, this.#at, key)); }
    map(key) { return new Value(call(op.MAP, this.#at, key)); }
    list(key) { return new Value(call(op.LIST, this.#at, key)); }
    string(key) { return call(op.TEXT, this.#at, key); }
    int(key) {
      const i = call(op.INT, this.#at, key);
      return typeof i === "string" ? BigInt(i) : i;
    }
    bool(key) { return call(op.BOOL, this.#at, key); }
    json(key) { return call(op.JSON_TEXT, this.#at, key); }
    value(key) {
      const text = call(op.JSON_TEXT, this.#at, key);
      return text === undefined ? undefined : parse(text);
    }
    * elements(key) {
      for (let h = call(op.FIRST, this.list(key).#at); h !== undefined; h = call(op.NEXT, h)) yield new Value(h);
    }
    * members(key) {
      for (let h = call(op.FIRST, this.map(key).#at); h !== undefined; h = call(op.NEXT, h)) yield [call(op.NAME, h) ?? "", new Value(h)];
    }
    location(key) { return call(op.LOCATION, this.#at, key); }

    set(key, v) {
      if (typeof v === "string") call(op.SET_STRING, this.#at, key, v);
      else call(op.SET_JSON, this.#at, key, write(v, Value.#text));
    }
    setJSON(key, json) { call(op.SET_JSON, this.#at, key, String(json)); }
    replace(v) { this.set(undefined, v); }
    append(key, v) {
      if (typeof v === "string") call(op.APPEND_STRING, this.#at, key, v);
      else call(op.APPEND_JSON, this.#at, key, write(v, Value.#text));
    }
    appendJSON(key, json) { call(op.APPEND_JSON, this.#at, key, String(json)); }
    make(key) { return new Value(call(op.MAKE, this.#at, key)); }
    remove(key) { return call(op.REMOVE, this.#at, key); }
    rename(key, newKey) { return call(op.RENAME, this.#at, key, newKey); }
    move(key, to, newKey) { return call(op.MOVE, this.#at, key, to.#at, newKey); }

    split(key, separator, to) { return call(op.SPLIT, this.#at, key, separator, ...to); }
    join(key, separator, from) { return call(op.JOIN, this.#at, key, separator, ...from); }
    splitList(key, separator) { return call(op.SPLIT_LIST, this.#at, key, separator); }
    joinList(key, separator) { return call(op.JOIN_LIST, this.#at, key, separator); }
    listFromMap(key, name, value = "") { return call(op.LIST_FROM_MAP, this.#at, key, name, value); }
    mapFromList(key, name, value = "") { return call(op.MAP_FROM_LIST, this.#at, key, name, value); }
    translate(key, pairs) { return this.#replaceBy(key, pairs, 0); }
    translateBack(key, pairs) { return this.#replaceBy(key, pairs, 1); }
    default(key, v) { return call(op.DEFAULT, this.#at, key, write(v, Value.#text)); }
    stash(key) { return call(op.STASH, this.#at, key); }
    stashFor(paths, key) { return call(op.STASH_FOR, this.#at, key, ...paths.flatMap((path) => [path.length, ...path])); }
    refuse(message) { throw new Refusal(message); }
    get refused() { return call(op.REFUSED, this.#at); }

    // What only a Resource has is here, as private names do not reach into it.
    static isFragment(o) { return call(op.IS_FRAGMENT, o.#at); }
    static restore(o) { call(op.RESTORE, o.#at); }
    static convertBack(o, back) {
      const again = call(op.CONVERTED, o.#at);
      if (again === undefined) return;
      run(back, new Resource(again));
      call(op.COMPARE, o.#at, again);
    }
    static #text(v) { return v instanceof Value ? v.json() ?? "null" : undefined; }
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

  // Runs a converter on an object; what it throws refuses the object.
  function run(convert, o) {
    try {
      if (convert(o) instanceof Promise) call(op.FAIL, "the converter is asynchronous, and there is nothing to wait for in a gateway");
    } catch (e) {
      if (e instanceof Refusal) call(op.REFUSE, e.message);
      else if (e?.constructor === Error) call(op.FAIL, e.message);
      else call(op.FAIL, `the converter threw ${e}${where(e)}`);
    }
  }

  // The author's line that an error comes from.
  function where(e) {
    for (const line of String(e?.stack ?? "").split("\n")) {
      const place = /([^/\\(\s]+:\d+:\d+)\)?$/.exec(line);
      if (place && !/^(crosswalk|json|native)\.js:/.test(place[1])) return " at " + place[1];
    }
    return "";
  }

  const converters = [], declared = new Set();
  let described = { language: "javascript", sdk: "crosswalk-javascript/1.0.0" };
  const log = (level) => (...words) => call(op.LOG, level, words.map(Value.log).join(" "));

  call(op.DESCRIBE, JSON.stringify(described));
  return {
    /** Runs the converter of that number: what the engine calls for each object. */
    dispatch(index, handle) {
      run(converters[index], new Resource(handle));
      conversion++;
    },
    register(from, to, convert) {
      if (typeof convert !== "function") throw new TypeError(`the conversion from ${from} to ${to} has no function`);
      const wrong = call(op.REGISTER, String(from), String(to));
      if (wrong) throw new Error(wrong);
      converters.push(convert);
    },
    describe(description) {
      described = { ...described, ...description };
      call(op.DESCRIBE, JSON.stringify(described));
    },
    declareFields(apiVersion, paths) {
      if (declared.has(apiVersion)) throw new Error(`the fields of ${apiVersion} are declared twice`);
      declared.add(apiVersion);
      call(op.DECLARE, String(apiVersion), ...paths);
    },
    lossless(convert, back) {
      return (o) => {
        o.restore();
        if (convert(o) instanceof Promise) throw new Error("the converter is asynchronous, and there is nothing to wait for in a gateway");
        Value.convertBack(o, back);
      };
    },
    log: { debug: log(0), info: log(1), warn: log(2), error: log(3) },
    NumberText,
  };
}
