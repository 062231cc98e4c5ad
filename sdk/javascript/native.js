// Runs converters in Node.js itself, where they can be debugged: what QuickJS does in a module, this does with Node.js' own values. The
// documents are the same WebAssembly as in a module.
import { readFileSync } from "node:fs";
import { Module, print } from "./build/vectors.mjs";
import { bind } from "./crosswalk.js";

/** Where the documents' own data end at most (engine/build.mjs makes sure). */
const HEAP = 256 << 10;

/** Memory from there on: blocks of powers of two, each with its size before it. */
class Heap {
  #end = HEAP;
  #free = new Map();
  constructor(memory) { this.memory = memory; }

  malloc(size) {
    const room = 2 ** Math.max(4, Math.ceil(Math.log2(size + 16)));
    const at = this.#free.get(room)?.pop() ?? this.#end;
    if (at === this.#end) this.#end += room;
    if (this.#end > this.memory.buffer.byteLength) this.memory.grow(Math.ceil((this.#end - this.memory.buffer.byteLength) / 65536));
    new DataView(this.memory.buffer).setUint32(at, room, true);
    return at + 16;
  }

  free(at) {
    if (!at) return;
    const room = new DataView(this.memory.buffer).getUint32(at - 16, true);
    if (!this.#free.has(room)) this.#free.set(room, []);
    this.#free.get(room).push(at - 16);
  }
}

/** Returns the SDK, and convert(desired, texts), which runs the converters that were registered with it. */
export function start(log = print) {
  const memory = new WebAssembly.Memory({ initial: 18 }), heap = new Heap(memory), boxes = [undefined];
  let thrown; // by the operation that is going on
  const box = (v) => boxes.push(v) - 1;
  const text = (at, size) => new TextDecoder().decode(new Uint8Array(memory.buffer, at >>> 0, size));
  const quickjs = {
    wasm_malloc: (size) => heap.malloc(size),
    wasm_free: (at) => heap.free(at),
    qjs_get_undefined: () => 0,
    qjs_get_true: () => box(true),
    qjs_get_false: () => box(false),
    qjs_new_number: box,
    qjs_new_string: (at, size) => box(text(at, size)),
    qjs_get_float64: (b) => Number(boxes[b]),
    qjs_is_undefined: (b) => boxes[b] === undefined ? 1 : 0,
    qjs_is_null: (b) => boxes[b] === null ? 1 : 0,
    qjs_is_exception: () => 0,
    qjs_get_string_len(b, sizeAt) {
      const bytes = Buffer.from(String(boxes[b])), at = heap.malloc(bytes.length);
      new Uint8Array(memory.buffer).set(bytes, at);
      new DataView(memory.buffer).setUint32(sizeAt, bytes.length, true);
      return at;
    },
    qjs_free_cstring: (at) => heap.free(at),
    qjs_new_error: () => box(new Error()),
    qjs_set_prop_string(object, name, v) { boxes[object].message = boxes[v]; }, // the only one that is set
    qjs_throw(e) { thrown = boxes[e]; },
    qjs_free_value() {}, // call takes them all back
    qjs_call(fn, self, argc, argv) {
      const at = new DataView(memory.buffer);
      sdk.dispatch(boxes[at.getUint32(argv, true)], boxes[at.getUint32(argv + 4, true)]);
      return 0;
    },
  };
  const imports = { env: { memory }, quickjs, crosswalk_v1: { log: (level, at, size) => log(level, text(at, size)) } };
  const wasm = new WebAssembly.Module(readFileSync(new URL("build/native.wasm", import.meta.url)));
  for (const { name } of WebAssembly.Module.imports(wasm)) {
    if (name.startsWith("qjs_")) quickjs[name] ??= () => { throw new Error(`${name} is for packing alone`); };
  }
  const { exports } = new WebAssembly.Instance(wasm, imports);
  exports.crosswalk_initialize();

  function call(...args) {
    const mark = boxes.length, argv = heap.malloc(args.length * 4);
    const first = boxes.push(...args) - args.length, view = new DataView(memory.buffer);
    args.forEach((_, i) => view.setUint32(argv + i * 4, first + i, true));
    const result = boxes[exports.host_call(0, 0, 0, args.length, argv)];
    heap.free(argv);
    boxes.length = mark;
    if (thrown) {
      const e = thrown;
      thrown = undefined;
      throw e;
    }
    return result;
  }

  const sdk = bind(call), module = new Module();
  module.exports = { ...exports, memory };
  return { sdk, convert: (desired, objects) => module.convert(desired, objects) };
}
