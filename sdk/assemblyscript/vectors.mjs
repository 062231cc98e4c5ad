#!/usr/bin/env node
// Runs golden cases against a module in Node.js, without a gateway:
//
//	node vectors.mjs MODULE.wasm build/vectors.json
//
// A case is {"name", "desiredAPIVersion", "objects", "want" | "wantError"}. Numbers are compared by their text, members in any order.
import { deepStrictEqual } from "node:assert";
import { readFileSync, realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** One instance of a converter module, driven as docs/spec/abi.md of the gateway says. */
export class Module {
  /** Loads a module. log gets (level, text) of what it logs; imports are what it needs beside that, likewise made for its memory. */
  static load(file, log = print, imports = () => ({})) {
    const m = new Module();
    const all = { crosswalk_v1: { log: (level, at, size) => log(level, m.#text(at, size)) }, ...imports(() => m.exports.memory) };
    m.exports = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), all).exports;
    m.exports._initialize?.();
    return m;
  }

  /** Converts objects, JSON texts, to a version. Each answer is {object} or {refusal}. Throws if the converter crashes. */
  convert(desired, objects) {
    const request = frame(desired, objects), at = this.exports.crosswalk_alloc(request.length) >>> 0;
    new Uint8Array(this.exports.memory.buffer).set(request, at);
    const response = BigInt.asUintN(64, this.exports.crosswalk_convert(at, request.length));
    let p = Number(response >> 32n);
    const end = p + Number(response & 0xffffffffn), view = new DataView(this.exports.memory.buffer), answers = [];
    while (p < end) {
      const status = view.getUint32(p, true), size = view.getUint32(p + 4, true), text = this.#text(p + 8, size);
      if (status === 2) throw new Error(`the converter crashed: ${text}`);
      answers.push(status ? { refusal: text } : { object: text });
      p += 8 + size;
    }
    if (answers.length !== objects.length) throw new Error(`${answers.length} answers for ${objects.length} objects`);
    return answers;
  }

  /** What the module says of itself: a JSON text. */
  describe() {
    const said = BigInt.asUintN(64, this.exports.crosswalk_describe());
    return this.#text(Number(said >> 32n), Number(said & 0xffffffffn));
  }

  #text(at, size) {
    return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(this.exports.memory.buffer, at >>> 0, size));
  }
}

/** What becomes of what a module logs if nobody says otherwise. */
export function print(level, text) {
  console.error(["debug", "info", "warn", "error"][level], text);
}

function frame(desired, objects) {
  const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); return b; };
  const parts = [u32(objects.length), u32(Buffer.byteLength(desired)), Buffer.from(desired)];
  for (const o of objects) parts.push(u32(Buffer.byteLength(o)), Buffer.from(o));
  return Buffer.concat(parts);
}

const texts = new WeakMap(); // what parse returned → its text

/** Parses JSON, numbers as {number: text}, and remembers the text of objects for textOf. */
export function parse(text) {
  const token = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:])/y;
  const next = () => {
    const match = token.exec(text);
    if (!match) throw new SyntaxError(`no JSON: ${text.slice(0, 100)}`);
    return match[1];
  };
  const value = (first) => {
    const start = token.lastIndex - first.length;
    let out;
    if (first === "{" || first === "[") {
      out = first === "{" ? {} : [];
      for (let t = next(); t !== "}" && t !== "]"; t = next()) {
        if (t === ",") continue;
        if (Array.isArray(out)) {
          out.push(value(t));
        } else {
          next(); // the colon
          out[JSON.parse(t)] = value(next());
        }
      }
    } else if (/^[-\d]/.test(first)) {
      out = { number: first };
    } else {
      return JSON.parse(first);
    }
    texts.set(out, text.slice(start, token.lastIndex));
    return out;
  };
  return value(next());
}

/** Returns the text that an object or array was parsed from. */
export function textOf(value) {
  return texts.get(value);
}

/** Reads the cases of a file, which crosswalk test --vectors writes. */
export function read(file) {
  try {
    return parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    throw new Error(`${file} does not exist: make test writes it from the golden cases of the sidecar, with crosswalk test --vectors`);
  }
}

/** Runs the cases of a file and returns what went wrong, one text for each. */
export function run(module, file) {
  const cases = read(file);
  return { count: cases.length, failures: cases.flatMap((c) => check(module, c)) };
}

/** Runs a case, as parse returns it, on what has a method convert like Module's, and returns what went wrong. */
export function check(module, c) {
  const failures = [], fail = (why) => failures.push(`${c.name}: ${why}`);
  const answers = module.convert(c.desiredAPIVersion, c.objects.map(textOf));
  const refusals = answers.filter((a) => a.refusal !== undefined).map((a) => a.refusal);
  if (c.wantError !== undefined) {
    if (!refusals.includes(c.wantError)) fail(`should be refused with\n\t${c.wantError}\nbut was answered with\n\t${refusals[0] ?? answers[0].object}`);
    return failures;
  }
  answers.forEach((a, i) => {
    if (a.refusal !== undefined) return fail(`object ${i} was refused: ${a.refusal}`);
    try {
      deepStrictEqual(parse(a.object), c.want[i]);
    } catch {
      fail(`object ${i} became\n\t${a.object}\nbut should be\n\t${textOf(c.want[i])}`);
    }
  });
  return failures;
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  const [file, vectors = "build/vectors.json"] = process.argv.slice(2);
  if (!file) {
    console.error("usage: vectors.mjs MODULE.wasm [vectors.json]");
    process.exit(2);
  }
  const { count, failures } = run(Module.load(file), vectors);
  for (const failure of failures) console.error(failure);
  console.log(`${count - failures.length} of ${count} cases pass`);
  process.exit(failures.length ? 1 : 0);
}
