// Puts QuickJS and the documents of the AssemblyScript SDK together: what pack.mjs runs once, and what a gateway calls.
export { crosswalk_abi_v1, crosswalk_alloc, crosswalk_convert, crosswalk_describe } from "../../assemblyscript/assembly/abi";
import { conversion } from "../../assemblyscript/assembly/conversion";
import { crashed } from "../../assemblyscript/assembly/document";
import { register } from "../../assemblyscript/assembly/module";
import { release } from "../../assemblyscript/assembly/memory";
import { Resource } from "../../assemblyscript/assembly/object";
import { encode } from "../../assemblyscript/assembly/text";
import { forgetModules, missingModule } from "./modules";
import { handleOf, invalidate, operate } from "./operations";
import {
  Box, cString, exception, qjs_call, qjs_eval, qjs_execute_pending_job, qjs_free_value, qjs_get_global, qjs_get_prop_string, qjs_get_undefined,
  qjs_init, qjs_is_exception, qjs_is_job_pending, qjs_new_host_function, qjs_new_number, qjs_promise_result, qjs_promise_state,
  qjs_set_max_stack_size, qjs_set_module_loader, qjs_set_prop_string, trace,
} from "./quickjs";
export { crosswalk_buffer, crosswalk_module, host_module_load, host_module_normalize } from "./modules";

/**
 * The stack that scripts may use. QuickJS has a megabyte for it below its own data; the package says that 512 KiB leave room enough for what
 * it does not check. This part's data are at the bottom of the megabyte (build.mjs makes sure that they end far below).
 */
const STACK: usize = 512 << 10;

const FULFILLED = 1, REJECTED = 2; // qjs_promise_state

let dispatch: Box = 0; // the function that runs a converter
let nothing: Box = 0; // undefined
const argv = heap.alloc(8);

class Edge {
  constructor(public from: string, public to: string) {}
}

const edges: Edge[] = [];

/** Makes the next converter the one from a version to another. Returns what is wrong, or "". */
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
  const handle = qjs_new_number(handleOf(o)), number = qjs_new_number(<f64>index);
  store<Box>(argv, number);
  store<Box>(argv, handle, 4);
  const result = qjs_call(dispatch, nothing, 2, argv);
  qjs_free_value(handle);
  qjs_free_value(number);
  if (qjs_is_exception(result)) crashed("uncaught " + exception());
  qjs_free_value(result);
  invalidate();
}

/** Begins; called once, before all else. */
export function crosswalk_start(): void {
  if (qjs_init()) throw new Error("QuickJS did not begin");
  qjs_set_max_stack_size(STACK);
  qjs_set_module_loader(1);
  nothing = qjs_get_undefined();
  const global = qjs_get_global(), name = cString("__crosswalk");
  qjs_set_prop_string(global, name, qjs_new_host_function(name, 11, 0));
  qjs_free_value(global);
  release();
}

/** Runs the module of that name, the author's. Returns pointer << 32 | length of what went wrong; 0 if nothing did. */
export function crosswalk_load(nameAt: usize, nameSize: usize): u64 {
  let wrong = load(String.UTF8.decodeUnsafe(nameAt, nameSize));
  forgetModules();
  if (!wrong.length && !edges.length) wrong = "the script registers no conversion: register(from, to, convert)";
  return result(wrong);
}

/** What the last load could not find: pointer << 32 | length; 0 if it found everything. */
export function crosswalk_missing(): u64 {
  return result(missingModule);
}

function load(name: string): string {
  const code = `import "./${name}";`, text = cString(code);
  const promise = qjs_eval(text, String.UTF8.byteLength(code), cString("crosswalk"), 1);
  if (qjs_is_exception(promise)) return trace();
  while (qjs_is_job_pending()) qjs_execute_pending_job();
  const state = qjs_promise_state(promise);
  if (state == REJECTED) return trace(qjs_promise_result(promise));
  if (state != FULFILLED) return "the script waits for something (await), and there is nothing to wait for in a gateway";
  qjs_free_value(promise);
  const global = qjs_get_global();
  dispatch = qjs_get_prop_string(global, cString("__dispatch"));
  qjs_free_value(global);
  return "";
}

/** Puts a text where the caller finds it. Nothing managed may be in use when the collector runs, s included. */
function result(s: string): u64 {
  let region: u64 = 0;
  if (s.length) {
    const text = heap.alloc(<usize>s.length * 3);
    region = <u64>text << 32 | <u64>encode(s, text);
  }
  release();
  __collect();
  return region;
}

// What QuickJS asks of its host.

export function host_call(name: usize, size: usize, self: Box, argc: i32, argv: usize): Box {
  return operate(argc, argv);
}

export function host_interrupt(): i32 { return 0; }
export function host_promise_rejection(promise: i32, reason: i32, handled: i32): void {}
export function host_get_timezone_offset(high: i32, low: i32): i32 { return 0; }
