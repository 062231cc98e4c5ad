// The author's files, by name, relative to the directory of the first one.
import { decode } from "../../assemblyscript/assembly/text";
import { qjs_malloc } from "./memory";

class Source {
  constructor(public name: string, public at: usize, public size: usize) {}
}

const sources: Source[] = [];

/** The module that was asked for and is not there; empty if none was. */
export let missingModule: string = "";

/** A buffer for a name or a source, which lives on. */
export function crosswalk_buffer(size: usize): usize {
  return qjs_malloc(size + 1);
}

/** Adds a module, before crosswalk_load. Name and source stay where they are. */
export function crosswalk_module(nameAt: usize, nameSize: usize, at: usize, size: usize): void {
  sources.push(new Source(decode(nameAt, nameSize), at, size));
}

/** Forgets the modules, of which the engine has what it needs, so that they take no room in the author's module. */
export function forgetModules(): void {
  for (let i = 0; i < sources.length; i++) memory.fill(sources[i].at, 0, sources[i].size);
  sources.length = 0;
}

/** Resolves a name that a module imports: relative names, from where that module is. */
export function host_module_normalize(base: usize, name: usize): usize {
  const from = text(base), to = text(name);
  return kept(to.startsWith("./") || to.startsWith("../") ? resolve(from, to) : to);
}

function resolve(from: string, to: string): string {
  const path = from.split("/").slice(0, -1), steps = to.split("/");
  for (let i = 0; i < steps.length; i++) {
    if (steps[i] == "." || steps[i] == "") continue;
    if (steps[i] == ".." && path.length && path[path.length - 1] != "..") path.pop();
    else path.push(steps[i]);
  }
  return path.join("/");
}

/** Returns a copy of a module's source, and stores its size. */
export function host_module_load(name: usize, sizeAt: usize): usize {
  const n = text(name);
  for (let i = 0; i < sources.length; i++) {
    const s = sources[i];
    if (s.name != n) continue;
    const at = qjs_malloc(s.size + 1);
    memory.copy(at, s.at, s.size);
    store<u8>(at + s.size, 0);
    store<u32>(sizeAt, <u32>s.size);
    return at;
  }
  if (!missingModule.length) missingModule = n;
  return 0;
}

function text(at: usize): string {
  let end = at;
  while (load<u8>(end)) end++;
  return decode(at, end - at);
}

function kept(s: string): usize {
  const size = <usize>String.UTF8.byteLength(s, true), at = qjs_malloc(size);
  String.UTF8.encodeUnsafe(changetype<usize>(s), s.length, at, true);
  return at;
}
