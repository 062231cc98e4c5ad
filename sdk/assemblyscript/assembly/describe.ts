import { quoted } from "./build";
import { described } from "./fields";
import { encode } from "./text";

let said = "";
let at: usize = 0;

/** Says what this module is; called where the module begins. Empty texts are left out. licence is an SPDX expression. */
export function describe(name: string, version: string = "", licence: string = "", source: string = ""): void {
  const names = ["name", "version", "licence", "source"], values = [name, version, licence, source];
  let json = '{"language":"assemblyscript","sdk":"crosswalk-assemblyscript/1.0.0"';
  for (let i = 0; i < names.length; i++) {
    if (values[i].length) json += ',"' + names[i] + '":' + quoted(values[i]);
  }
  describeJSON(json + "}");
}

/** Says it in JSON, as docs/spec/abi.md of the gateway has it, an object that is not empty. */
export function describeJSON(json: string): void {
  said = json;
}

/** What the module says of itself, with the fields that it declares: where it is, and its size. Valid until the next call. */
export function description(): u64 {
  if (!said.length) describe("");
  const json = said.substring(0, said.length - 1) + described() + "}";
  if (at) heap.free(at);
  at = heap.alloc(json.length * 3);
  return <u64>at << 32 | <u64>encode(json, at);
}
