import { quoted } from "./build";
import { encode } from "./text";

let at: usize = 0;
let size: usize = 0;

/** Says what this module is; called where the module begins. Empty texts are left out. licence is an SPDX expression. */
export function describe(name: string, version: string = "", licence: string = "", source: string = ""): void {
  const names = ["name", "version", "licence", "source"], values = [name, version, licence, source];
  let json = '{"language":"assemblyscript","sdk":"crosswalk-assemblyscript/1.0.0"';
  for (let i = 0; i < names.length; i++) {
    if (values[i].length) json += ',"' + names[i] + '":' + quoted(values[i]);
  }
  json += "}";
  at = heap.alloc(json.length * 3);
  size = encode(json, at);
}

export function description(): u64 {
  if (!at) describe("");
  return <u64>at << 32 | <u64>size;
}
