// Runs an author's file in the engine, once, and keeps what has become of it: the module begins where this ends.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inert } from "./inert.js";
import { freeze } from "./wasm.js";

const sdk = fileURLToPath(new URL("..", import.meta.url));

/** What is there to import beside the author's files. */
const own = {
  "crosswalk-javascript": "engine/module.js",
  "crosswalk-javascript/crosswalk.js": "crosswalk.js",
  "crosswalk-javascript/json.js": "json.js",
  "crosswalk-javascript/operations.js": "operations.js",
};

/** The exports that are for packing alone. */
const packing = /^(_initialize|crosswalk_(initialize|start|buffer|module|load|missing))$/;

/**
 * Makes a module of a converter: returns its bytes. file is the author's first file; what it imports with "./" is packed too. The same files
 * make the same bytes. log gets (level, text) of what the script logs meanwhile.
 *
 * Throws an Error that says what is wrong with the script.
 */
export function pack(file, log) {
  const engine = readFileSync(join(sdk, "build/engine.wasm")), compiled = new WebAssembly.Module(engine);
  const entry = file.split(/[\\/]/).pop(), sources = new Map();
  for (const [name, path] of Object.entries(own)) sources.set(name, readFileSync(join(sdk, path)));
  sources.set(entry, readFileSync(file));
  // What a file imports is found out by running it: the engine says what it misses, and begins again with it.
  for (;;) {
    const exports = instantiate(compiled, log), { wrong, missing } = load(exports, entry, sources);
    if (!wrong) return freeze(engine, exports, (name) => packing.test(name));
    if (!missing) throw new Error(wrong);
    if (sources.has(missing) || !missing.startsWith("..") && !/\.m?js$/.test(missing)) {
      throw new Error(`${file} imports "${missing}": only files with "./" or "../" and the ending .js, and "crosswalk-javascript", can be packed; for others use a bundler, such as esbuild --bundle --format=esm --external:crosswalk-javascript`);
    }
    sources.set(missing, read(join(dirname(file), missing), missing));
  }
}

function read(path, name) {
  try {
    return readFileSync(path);
  } catch (e) {
    throw new Error(`the import of "${name}": ${e.message}`);
  }
}

function instantiate(compiled, log) {
  let exports;
  const memory = () => exports.memory;
  const imports = { ...inert(memory), crosswalk_v1: { log: (level, at, size) => log(level, text(exports, at, size)) } };
  exports = new WebAssembly.Instance(compiled, imports).exports;
  exports._initialize();
  exports.crosswalk_initialize();
  exports.crosswalk_start();
  return exports;
}

function load(exports, entry, sources) {
  const put = (bytes) => {
    const at = exports.crosswalk_buffer(bytes.length) >>> 0;
    new Uint8Array(exports.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  };
  const taken = (result) => result === 0n ? "" : text(exports, Number(BigInt.asUintN(64, result) >> 32n), Number(result & 0xffffffffn));
  for (const [name, source] of sources) exports.crosswalk_module(...put(Buffer.from(name)), ...put(source));
  const wrong = taken(exports.crosswalk_load(...put(Buffer.from(entry))));
  return { wrong, missing: taken(exports.crosswalk_missing()) };
}

function text(exports, at, size) {
  return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at >>> 0, size));
}
