// Puts QuickJS and the documents of the AssemblyScript SDK together: what crosswalk pack runs once, and what a gateway calls.
export { crosswalk_abi_v1, crosswalk_alloc, crosswalk_convert, crosswalk_describe } from "../../assemblyscript/assembly/abi";
import { conversion } from "../../assemblyscript/assembly/conversion";
import { current, fail, keep } from "../../assemblyscript/assembly/document";
import { register } from "../../assemblyscript/assembly/module";
import { release } from "../../assemblyscript/assembly/memory";
import { Resource } from "../../assemblyscript/assembly/object";
import { encode } from "../../assemblyscript/assembly/text";
import { operate } from "./operations";
import { prelude } from "./prelude";
import {
  Box, cString, qjs_call, qjs_eval, qjs_free_value, qjs_get_exception, qjs_get_global, qjs_get_prop_string, qjs_get_undefined, qjs_init,
  qjs_is_exception, qjs_new_host_function, qjs_new_number, qjs_set_max_stack_size, qjs_set_prop_string, stringOf,
} from "./quickjs";

/** QuickJS has the lower megabyte for its stack; this part's data are at its bottom, and stay out of reach. */
const STACK: usize = 768 << 10;

let dispatch: Box = 0; // the prelude's function that runs a converter
let nothing: Box = 0; // undefined
const argv = heap.alloc(8);

class Edge {
  constructor(public from: string, public to: string) {}
}

const edges: Edge[] = [];

/** Makes the next number of the prelude's converters the one from a version to another. Returns what is wrong, or "". */
export function addConversion(from: string, to: string): string {
  if (!from.length || !to.length || from == to) return `a conversion needs two different versions, not "${from}" and "${to}"`;
  for (let i = 0; i < edges.length; i++) {
    if (edges[i].from == from && edges[i].to == to) return `the conversion from ${from} to ${to} is registered twice`;
  }
  edges.push(new Edge(from, to));
  register(from, to, run);
  return "";
}

function run(o: Resource): void {
  let index = 0;
  while (index < edges.length && (edges[index].from != conversion.from || edges[index].to != conversion.to)) index++;
  const handle = qjs_new_number(<f64>changetype<usize>(o)), number = qjs_new_number(<f64>index);
  store<Box>(argv, number);
  store<Box>(argv, handle, 4);
  const result = qjs_call(dispatch, nothing, 2, argv);
  qjs_free_value(handle);
  qjs_free_value(number);
  if (qjs_is_exception(result)) fail(current, "the converter threw " + exception());
  qjs_free_value(result);
}

function exception(): string {
  const e = qjs_get_exception(), s = stringOf(e);
  qjs_free_value(e);
  return s;
}

/** Runs a script: its UTF-8 and, for messages, the name of its file, which ends with NUL. Returns what went wrong, or "". */
function evaluate(code: usize, size: usize, file: usize): string {
  const result = qjs_eval(code, size, file, 0);
  let wrong = "";
  if (qjs_is_exception(result)) {
    const e = qjs_get_exception(), stack = qjs_get_prop_string(e, cString("stack")), where = stringOf(stack);
    wrong = stringOf(e) + (where.length && where != "undefined" ? "\n" + where : "");
    qjs_free_value(stack);
    qjs_free_value(e);
  }
  qjs_free_value(result);
  return wrong;
}

/** Begins; called once, before crosswalk_load. */
export function crosswalk_start(): void {
  if (qjs_init()) throw new Error("QuickJS did not begin");
  qjs_set_max_stack_size(STACK);
  nothing = qjs_get_undefined();
  const global = qjs_get_global(), name = cString("__crosswalk");
  qjs_set_prop_string(global, name, qjs_new_host_function(name, 11, 0));
  const code = heap.alloc(<usize>prelude.length * 3 + 1), size = encode(prelude, code);
  store<u8>(code + size, 0);
  const wrong = evaluate(code, size, cString("crosswalk.js"));
  if (wrong.length) throw new Error(wrong);
  heap.free(code);
  dispatch = qjs_get_prop_string(global, cString("__dispatch"));
  qjs_free_value(global);
  release();
}

/** A buffer for a script; crosswalk_load frees it. */
export function crosswalk_script(size: usize): usize {
  return heap.alloc(size + 1);
}

/** Runs the author's script. Returns pointer << 32 | length of what went wrong, 0 if nothing did. */
export function crosswalk_load(at: usize, size: usize): u64 {
  store<u8>(at + size, 0);
  let wrong = evaluate(at, size, cString("converter.js"));
  heap.free(at);
  if (!wrong.length && !edges.length) wrong = "the script registers no conversion: crosswalk.register(from, to, convert)";
  release();
  __collect();
  if (!wrong.length) return 0;
  const text = heap.alloc(<usize>wrong.length * 3);
  return <u64>text << 32 | <u64>encode(wrong, text);
}

// What QuickJS asks of its host.

export function host_call(name: usize, size: usize, self: Box, argc: i32, argv: usize): Box {
  return operate(argc, argv);
}

export function host_interrupt(): i32 { return 0; }
export function host_promise_rejection(promise: i32, reason: i32, handled: i32): void {}
export function host_module_normalize(base: i32, name: i32): i32 { return 0; }
export function host_module_load(name: i32, size: i32): i32 { return 0; }
export function host_get_timezone_offset(low: i32, high: i32): i32 { return 0; }
