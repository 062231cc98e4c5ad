// QuickJS, as the package quickjs-wasi exports it. A box is a pointer to a JavaScript value; who gets one from here frees it.
import { keep } from "../../assemblyscript/assembly/document";
import { decode, make, Text } from "../../assemblyscript/assembly/text";

export type Box = usize;

// @ts-ignore: decorator
@external("quickjs", "qjs_init")
export declare function qjs_init(): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_set_max_stack_size")
export declare function qjs_set_max_stack_size(size: usize): void;
// @ts-ignore: decorator
@external("quickjs", "qjs_eval")
export declare function qjs_eval(code: usize, size: usize, file: usize, flags: i32): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_new_host_function")
export declare function qjs_new_host_function(name: usize, size: usize, length: i32): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_global")
export declare function qjs_get_global(): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_prop_string")
export declare function qjs_get_prop_string(object: Box, name: usize): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_set_prop_string")
export declare function qjs_set_prop_string(object: Box, name: usize, value: Box): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_call")
export declare function qjs_call(fn: Box, self: Box, argc: i32, argv: usize): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_is_exception")
export declare function qjs_is_exception(value: Box): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_exception")
export declare function qjs_get_exception(): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_free_value")
export declare function qjs_free_value(value: Box): void;
// @ts-ignore: decorator
@external("quickjs", "qjs_new_string")
export declare function qjs_new_string(at: usize, size: usize): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_new_number")
export declare function qjs_new_number(n: f64): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_undefined")
export declare function qjs_get_undefined(): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_true")
export declare function qjs_get_true(): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_false")
export declare function qjs_get_false(): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_float64")
export declare function qjs_get_float64(value: Box): f64;
// @ts-ignore: decorator
@external("quickjs", "qjs_get_string_len")
export declare function qjs_get_string_len(value: Box, size: usize): usize;
// @ts-ignore: decorator
@external("quickjs", "qjs_free_cstring")
export declare function qjs_free_cstring(at: usize): void;
// @ts-ignore: decorator
@external("quickjs", "qjs_is_undefined")
export declare function qjs_is_undefined(value: Box): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_is_null")
export declare function qjs_is_null(value: Box): i32;

// @ts-ignore: decorator
@external("quickjs", "qjs_set_module_loader")
export declare function qjs_set_module_loader(on: i32): void;
// @ts-ignore: decorator
@external("quickjs", "qjs_is_job_pending")
export declare function qjs_is_job_pending(): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_execute_pending_job")
export declare function qjs_execute_pending_job(): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_promise_state")
export declare function qjs_promise_state(promise: Box): i32;
// @ts-ignore: decorator
@external("quickjs", "qjs_promise_result")
export declare function qjs_promise_result(promise: Box): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_new_error")
export declare function qjs_new_error(): Box;
// @ts-ignore: decorator
@external("quickjs", "qjs_throw")
export declare function qjs_throw(e: Box): Box;

const sizeAt = heap.alloc(8);

/** Returns the text of a value, where it lives as long as the object. */
export function textOf(value: Box): Text {
  const at = qjs_get_string_len(value, sizeAt);
  if (!at) return make(0, 0);
  const size = load<usize>(sizeAt), text = make(keep(at, size), size);
  qjs_free_cstring(at);
  return text;
}

export function stringOf(value: Box): string {
  const at = qjs_get_string_len(value, sizeAt);
  if (!at) return "";
  const s = decode(at, load<usize>(sizeAt));
  qjs_free_cstring(at);
  return s;
}

export function boxText(t: Text): Box {
  return t.exists ? qjs_new_string(t.length ? t.at : sizeAt, <usize>t.length) : qjs_get_undefined();
}

export function boxString(s: string): Box {
  return boxText(Text.of(s));
}

export function boxBool(b: bool): Box {
  return b ? qjs_get_true() : qjs_get_false();
}

/** Returns UTF-8 that ends with NUL and lives as long as the object. */
export function cString(s: string): usize {
  const t = Text.of(s);
  const at = keep(t.at, t.size); // what follows is free
  store<u8>(at + t.size, 0);
  return at;
}

/** What was thrown, as text. */
export function exception(): string {
  const e = qjs_get_exception(), s = stringOf(e);
  qjs_free_value(e);
  return s;
}

/** What was thrown (or e), and where. */
export function trace(e: Box = qjs_get_exception()): string {
  const stack = qjs_get_prop_string(e, cString("stack")), s = stringOf(e), where = qjs_is_undefined(stack) ? "" : stringOf(stack);
  qjs_free_value(stack);
  qjs_free_value(e);
  return where.length ? s + "\n" + where.trimEnd() : s;
}

/** Throws an Error: what a host function returns to do so. */
export function throwError(message: string): Box {
  const e = qjs_new_error(), m = boxString(message);
  qjs_set_prop_string(e, cString("message"), m);
  qjs_throw(e);
  qjs_free_value(e);
  return 0;
}
