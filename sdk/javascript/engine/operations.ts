// What crosswalk.js asks of the documents: one function, whose first argument says what is wanted.
import { crashed, current, fail } from "../../assemblyscript/assembly/document";
import { defaultRaw, isFragment } from "../../assemblyscript/assembly/default";
import { describeJSON } from "../../assemblyscript/assembly/describe";
import { declareFields } from "../../assemblyscript/assembly/fields";
import { listFromMap, mapFromList } from "../../assemblyscript/assembly/keyed";
import { log } from "../../assemblyscript/assembly/log";
import { compare, converted } from "../../assemblyscript/assembly/lossless";
import { Resource } from "../../assemblyscript/assembly/object";
import { intFromString, stringFromInt } from "../../assemblyscript/assembly/digits";
import { join, joinLast, joinList, split, splitLast, splitList } from "../../assemblyscript/assembly/split";
import { restore, stash, stashFor } from "../../assemblyscript/assembly/stash";
import { Type, Value } from "../../assemblyscript/assembly/value";
import { addConversion } from "./engine";
import {
  Box, boxBool, boxString, boxText, qjs_get_float64, qjs_get_undefined, qjs_is_null, qjs_is_undefined, qjs_new_number, stringOf, textOf, throwError,
} from "./quickjs";

/** The operations; operations.js has the same list. */
enum Op {
  Get, Map, List, Text, Int, Bool, JSON, First, Next, Type, Name, Location, // reading
  SetString, SetJSON, AppendString, AppendJSON, Make, Remove, Rename, Move, // editing
  Refused, Split, Join, SplitList, JoinList, ListFromMap, MapFromList, Default, // helping
  SplitLast, JoinLast, IntFromString, StringFromInt, IsFragment,
  Stash, StashFor, Restore, Converted, Compare,
  Refuse, Fail, Crash, Log, Register, Describe, Declare, // what has nothing to do with a value
}

/** The largest integer that a JavaScript number can tell from its neighbours. */
const SAFE: i64 = 9007199254740991;

let argv: usize = 0, argc: i32 = 0;

function box(i: i32): Box {
  return load<Box>(argv + (<usize>i << 2));
}

// A handle is a number: where the value is, and above these 32 bits, which object it is of. That costs the scripts nothing, and a
// handle that somebody kept is told from those of the next object, which are at the same places.

const PLACES: f64 = 4294967296;

let conversion: u32 = 1; // the object that is being converted
let stale = false; // a handle of another object was used

/** Makes the handles that are out useless: called when a conversion has ended. */
export function invalidate(): void {
  conversion = (conversion + 1) & 0xfffff; // 52 bits are exact
}

function value(i: i32): Value {
  const handle = qjs_get_float64(box(i));
  if (handle == 0 || <u32>(handle / PLACES) == conversion) return changetype<Value>(<usize>(<u64>handle));
  stale = true;
  return changetype<Value>(0);
}

/** The handle of a value; none is 0. */
export function handleOf(v: Value): f64 {
  return v.isThere ? <f64>conversion * PLACES + <f64>changetype<usize>(v) : 0;
}

function text(i: i32): string {
  return stringOf(box(i));
}

/** A key; none, undefined or null means the value itself. */
function key(i: i32): string | null {
  return i >= argc || qjs_is_undefined(box(i)) || qjs_is_null(box(i)) ? null : stringOf(box(i));
}

function keys(i: i32): string[] {
  const out: string[] = [];
  for (; i < argc; i++) out.push(stringOf(box(i)));
  return out;
}

function handle(v: Value): Box {
  return v.isThere ? qjs_new_number(handleOf(v)) : qjs_get_undefined();
}

export function operate(count: i32, values: usize): Box {
  argc = count;
  argv = values;
  const op = <Op><i32>qjs_get_float64(box(0));
  if (op >= Op.Refuse) return other(op);
  stale = false;
  const v = value(1), second = op == Op.Move ? value(3) : op == Op.Compare ? value(2) : changetype<Value>(0);
  if (stale) {
    crashed("a value is used after the conversion of its object has returned");
    return throwError("a value is used after the conversion of its object has returned");
  }
  if (op <= Op.Location) return read(op, v);
  if (op <= Op.Move) return edit(op, v, second);
  return help(op, v, second);
}

function other(op: Op): Box {
  switch (op) {
    case Op.Refuse: current.error = textOf(box(1)); break;
    case Op.Fail: fail(current, text(1)); break;
    case Op.Crash: crashed(text(1)); break;
    case Op.Log: log(<i32>qjs_get_float64(box(1)), text(2)); break;
    case Op.Register: return boxString(addConversion(text(1), text(2)));
    case Op.Describe: describeJSON(text(1)); break;
    case Op.Declare: declareFields(text(1), keys(2)); break;
  }
  return qjs_get_undefined();
}

function read(op: Op, v: Value): Box {
  switch (op) {
    case Op.Get: return handle(v.get(text(2)));
    case Op.Map: return handle(v.map(key(2)));
    case Op.List: return handle(v.list(key(2)));
    case Op.Text: return boxText(v.text(key(2)));
    case Op.Int: return integer(v, key(2));
    case Op.Bool: return boolean(v, key(2));
    case Op.JSON: return boxText(v.raw(key(2)));
    case Op.First: return handle(v.firstChild);
    case Op.Next: return handle(v.nextChild);
    case Op.Type: return qjs_new_number(<f64>v.type);
    case Op.Name: return boxText(v.name);
  }
  return boxString(v.location(key(2)));
}

function integer(v: Value, k: string | null): Box {
  const there = k === null ? v.exists : v.type == Type.Object && v.has(k);
  const i = v.int(k);
  if (!there) return qjs_get_undefined();
  return i >= -SAFE && i <= SAFE ? qjs_new_number(<f64>i) : boxString(i.toString());
}

function boolean(v: Value, k: string | null): Box {
  const there = k === null ? v.exists : v.type == Type.Object && v.has(k);
  const b = v.bool(k);
  return there ? boxBool(b) : qjs_get_undefined();
}

function edit(op: Op, v: Value, to: Value): Box {
  switch (op) {
    case Op.SetString: v.setText(key(2), textOf(box(3))); break;
    case Op.SetJSON: v.setRaw(key(2), textOf(box(3))); break;
    case Op.AppendString: v.appendText(key(2), textOf(box(3))); break;
    case Op.AppendJSON: v.appendRaw(key(2), textOf(box(3))); break;
    case Op.Make: return handle(v.make(key(2)));
    case Op.Remove: return boxBool(v.remove(key(2)));
    case Op.Rename: return boxBool(v.rename(key(2), text(3)));
    case Op.Move: return boxBool(v.move(key(2), to, text(4)));
  }
  return qjs_get_undefined();
}

function help(op: Op, v: Value, again: Value): Box {
  switch (op) {
    case Op.Refused: return boxBool(v.refused);
    case Op.Split: return boxBool(split(v, text(2), text(3), keys(4)));
    case Op.Join: return boxBool(join(v, text(2), text(3), keys(4)));
    case Op.SplitLast: return boxBool(splitLast(v, text(2), text(3), keys(4)));
    case Op.JoinLast: return boxBool(joinLast(v, text(2), text(3), keys(4)));
    case Op.IntFromString: return boxBool(intFromString(v, text(2)));
    case Op.StringFromInt: return boxBool(stringFromInt(v, text(2)));
    case Op.SplitList: return boxBool(splitList(v, text(2), text(3)));
    case Op.JoinList: return boxBool(joinList(v, text(2), text(3)));
    case Op.ListFromMap: return boxBool(listFromMap(v, text(2), text(3), text(4)));
    case Op.MapFromList: return boxBool(mapFromList(v, text(2), text(3), text(4)));
    case Op.Default: return boxBool(defaultRaw(v, text(2), textOf(box(3))));
    case Op.IsFragment: return boxBool(isFragment(v));
    case Op.Stash: return boxBool(stash(v, text(2)));
    case Op.StashFor: return boxBool(stashFor(v, text(2), paths(3)));
    case Op.Restore: restore(changetype<Resource>(v)); break;
    case Op.Converted: return handle(converted(changetype<Resource>(v)));
    case Op.Compare: compare(changetype<Resource>(v), changetype<Resource>(again)); break;
  }
  return qjs_get_undefined();
}

/** Paths as the number of keys of each, followed by the keys. */
function paths(i: i32): string[][] {
  const out: string[][] = [];
  while (i < argc) {
    const n = <i32>qjs_get_float64(box(i++)), path: string[] = [];
    for (let k = 0; k < n; k++) path.push(text(i++));
    out.push(path);
  }
  return out;
}
