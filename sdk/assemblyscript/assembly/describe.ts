import { encode, quoteTo } from "./text";

let at: usize = 0;
let size: usize = 0;

/** Says what this module is; called where the module begins. Empty texts are left out. licence is an SPDX expression. */
export function describe(name: string, version: string = "", licence: string = "", source: string = ""): void {
  const names = ["name", "version", "licence", "source"], values = [name, version, licence, source];
  let json = '{"language":"assemblyscript","sdk":"crosswalk-assemblyscript/1.0.0"';
  for (let i = 0; i < names.length; i++) {
    if (values[i]) json += ',"' + names[i] + '":' + quote(values[i]);
  }
  json += "}";
  at = heap.alloc(json.length * 3);
  size = encode(json, at);
}

function quote(s: string): string {
  const plain = heap.alloc(s.length * 3 + 8), quoted = heap.alloc(s.length * 18 + 16);
  const json = String.UTF8.decodeUnsafe(quoted, quoteTo(quoted, plain, encode(s, plain)));
  heap.free(plain);
  heap.free(quoted);
  return json;
}

export function description(): u64 {
  if (!at) describe("");
  return <u64>at << 32 | <u64>size;
}
