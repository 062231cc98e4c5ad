// Takes a WebAssembly module apart and puts it together again, as far as packing needs it.

const IMPORT = 2, MEMORY = 5, GLOBAL = 6, EXPORT = 7, START = 8, DATA_COUNT = 12, DATA = 11, CUSTOM = 0;
const I32 = 0x7f, I64 = 0x7e;

/** Reads from bytes. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  get done() { return this.at >= this.bytes.length; }
  byte() { return this.bytes[this.at++]; }
  u32() {
    let n = 0, shift = 0, b;
    do {
      b = this.byte();
      n += (b & 0x7f) * 2 ** shift;
      shift += 7;
    } while (b & 0x80);
    return n;
  }
  signed() {
    let n = 0n, shift = 0n, b;
    do {
      b = this.byte();
      n |= BigInt(b & 0x7f) << shift;
      shift += 7n;
    } while (b & 0x80);
    return b & 0x40 ? n - (1n << shift) : n;
  }
  take(n) { return this.bytes.subarray(this.at, this.at += n); }
  name() { return new TextDecoder().decode(this.take(this.u32())); }
  limits() {
    const flags = this.byte(), min = this.u32();
    return { flags, min, max: flags & 1 ? this.u32() : undefined };
  }
}

export function u32(n) {
  const out = [];
  do {
    out.push(n & 0x7f | (n > 0x7f ? 0x80 : 0));
    n = Math.floor(n / 128);
  } while (n);
  return out;
}

export function signed(n) {
  const out = [];
  for (n = BigInt(n); ; n >>= 7n) {
    const b = Number(n & 0x7fn), last = n >= -64n && n <= 63n;
    out.push(last ? b : b | 0x80);
    if (last) return out;
  }
}

const name = (s) => [...u32(Buffer.byteLength(s)), ...Buffer.from(s)];
const vector = (items) => Buffer.concat([Buffer.from(u32(items.length)), ...items.map((item) => Buffer.from(item))]);

/** Returns the sections: [{id, body}]. */
export function sections(bytes) {
  const r = new Reader(bytes, 8), out = [];
  while (!r.done) out.push({ id: r.byte(), body: r.take(r.u32()) });
  return out;
}

/** The opposite. Sections without a body are left out. */
export function assemble(parts) {
  const out = [Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])];
  for (const { id, body } of parts) {
    if (body) out.push(Buffer.from([id, ...u32(body.length)]), Buffer.from(body));
  }
  return Buffer.concat(out);
}

/** Replaces the body of a section by what change makes of it. */
function edit(bytes, id, change) {
  return assemble(sections(bytes).map((s) => s.id === id ? { id, body: change(new Reader(s.body)) } : s));
}

/** Gives imports other names: change(module, name) returns both. */
export function renameImports(bytes, change) {
  return edit(bytes, IMPORT, (r) => {
    const items = [];
    for (let n = r.u32(); n > 0; n--) {
      const names = change(r.name(), r.name()), start = r.at, kind = r.byte();
      if (kind === 0) r.u32();
      else if (kind === 1) { r.byte(); r.limits(); }
      else if (kind === 2) r.limits();
      else if (kind === 3) { r.byte(); r.byte(); }
      else throw new Error(`an import of kind ${kind}`);
      items.push([...name(names[0]), ...name(names[1]), ...r.bytes.subarray(start, r.at)]);
    }
    return vector(items);
  });
}

function readExports(r) {
  const items = [];
  for (let n = r.u32(); n > 0; n--) items.push({ name: r.name(), kind: r.byte(), index: r.u32() });
  return items;
}

const writeExports = (items) => vector(items.map((e) => [...name(e.name), e.kind, ...u32(e.index)]));

/** Keeps the exports that keep(name) says. */
export function dropExports(bytes, keep) {
  return edit(bytes, EXPORT, (r) => writeExports(readExports(r).filter((e) => keep(e.name))));
}

/** Global variables: [{type, mutable, init}], init being the bytes of the expression with its end. There must be no imported ones. */
function readGlobals(r) {
  const items = [];
  for (let n = r.u32(); n > 0; n--) {
    const type = r.byte(), mutable = r.byte() === 1, start = r.at;
    for (let op = r.byte(); op !== 0x0b; op = r.byte()) {
      if (op === 0x41 || op === 0x42) r.signed();
      else if (op === 0x43) r.take(4);
      else if (op === 0x44) r.take(8);
      else if (op === 0x23 || op === 0xd2) r.u32();
      else if (op === 0xd0) r.byte();
      else throw new Error(`a global variable begins with instruction 0x${op.toString(16)}`);
    }
    items.push({ type, mutable, init: r.bytes.subarray(start, r.at) });
  }
  return items;
}

/** How the exports are called that exportMutableGlobals adds. */
const variable = (index) => `global ${index}`;

/** Exports all variables, so that they can be read after the module has run. */
export function exportMutableGlobals(bytes) {
  const section = sections(bytes).find((s) => s.id === GLOBAL), added = [];
  readGlobals(new Reader(section.body)).forEach((g, index) => g.mutable && added.push({ name: variable(index), kind: 3, index }));
  return edit(bytes, EXPORT, (r) => writeExports([...readExports(r).filter((e) => !e.name.startsWith("global ")), ...added]));
}

/** Where the module's own data end in memory. */
export function staticEnd(bytes) {
  const r = new Reader(sections(bytes).find((s) => s.id === DATA).body);
  let end = 0;
  for (let n = r.u32(); n > 0; n--) {
    if (r.u32() !== 0 || r.byte() !== 0x41) throw new Error("data that are not placed by a number");
    const at = Number(r.signed());
    r.byte(); // end of the expression
    const size = r.u32();
    r.take(size);
    end = Math.max(end, at + size);
  }
  return end;
}

/**
 * Returns the module that begins where an instance of it is now: with its memory and its variables. The exports that drop(name) says are
 * left out, and so is the start function.
 */
export function freeze(bytes, exports, drop) {
  const memory = new Uint8Array(exports.memory.buffer), segments = dataSegments(memory);
  let parts = sections(bytes).filter((s) => s.id !== START && s.id !== CUSTOM);
  parts = parts.map(({ id, body }) => {
    const r = new Reader(body);
    switch (id) {
      case MEMORY: {
        r.u32(); // there is one
        const { flags, max } = r.limits();
        return { id, body: Buffer.from([1, flags, ...u32(memory.length / 65536), ...max === undefined ? [] : u32(max)]) };
      }
      case GLOBAL:
        return { id, body: vector(readGlobals(r).map((g, index) => [g.type, g.mutable ? 1 : 0, ...g.mutable ? constant(g.type, exports[variable(index)].value) : g.init])) };
      case EXPORT:
        return { id, body: writeExports(readExports(r).filter((e) => !e.name.startsWith("global ") && !drop(e.name))) };
      case DATA_COUNT:
        return { id, body: Buffer.from(u32(segments.length)) };
      case DATA:
        return { id, body: vector(segments.map(([at, end]) => [0, 0x41, ...signed(at), 0x0b, ...u32(end - at), ...memory.subarray(at, end)])) };
    }
    return { id, body };
  });
  return assemble(parts);
}

function constant(type, value) {
  if (type === I32) return [0x41, ...signed(value), 0x0b];
  if (type === I64) return [0x42, ...signed(value), 0x0b];
  throw new Error(`a global variable of type 0x${type.toString(16)}`);
}

/** What of memory is not zero: [[start, end]]. Zeros that are fewer than the head of another segment needs are taken along. */
function dataSegments(memory) {
  const gap = 16, out = [];
  for (let at = 0; ;) {
    while (at < memory.length && memory[at] === 0) at++;
    if (at === memory.length) return out;
    let end = at + 1;
    for (let p = end; p < memory.length && p - end < gap; p++) if (memory[p] !== 0) end = p + 1;
    out.push([at, end]);
    at = end;
  }
}
