// Does what the object says: it runs the list of edits in .program, [name, path, argument...], on the object. The same module in
// every language lets a test compare the SDKs.
import { describe, register, Resource, Text, Type, Value } from "../../../../sdk/assemblyscript/assembly";
export * from "../../../../sdk/assemblyscript/assembly/abi";

const nothing = changetype<Value>(0);

let wrong = false; // seen met something that is no object

describe("edits", "1.0.0");
register("test.example.com/v1", "test.example.com/v2", run);

function run(o: Resource): void {
  const program = o.list("program");
  for (let edit = program.firstChild; edit.isThere; edit = edit.nextChild) {
    let name = "", path: string[] = [], text = changetype<Text>(0), to: string[] = [], i = 0;
    for (let part = edit.firstChild; part.isThere; part = part.nextChild) {
      if (i == 0) name = part.string();
      else if (i == 1) path = keys(part);
      else if (part.type == Type.Array) to = keys(part);
      else text = part.text();
      i++;
    }
    apply(o, name, path, text, to);
  }
}

function keys(list: Value): string[] {
  const out: string[] = [];
  for (let e = list.firstChild; e.isThere; e = e.nextChild) out.push(e.string());
  return out;
}

// Returns the object that has the last key, made if need be.
function made(o: Resource, path: string[]): Value {
  let v: Value = o;
  for (let i = 0; i + 1 < path.length; i++) v = v.make(path[i]);
  return v;
}

// Returns it if it is there; what is wrong on the way refuses the object.
function there(o: Resource, path: string[]): Value {
  let v: Value = o;
  for (let i = 0; i + 1 < path.length; i++) v = v.map(path[i]);
  return v;
}

// Reports like there, but leaves the object alone.
function seen(o: Resource, path: string[]): Value {
  let v: Value = o;
  wrong = false;
  for (let i = 0; i + 1 < path.length; i++) {
    v = v.get(path[i]);
    if (v.exists && v.type != Type.Object) {
      wrong = true;
      return nothing;
    }
  }
  return v;
}

function note(o: Resource, text: string, ok: bool, bad: bool): void {
  o.appendString("out", `${text} ${ok} ${bad}`);
}

function apply(o: Resource, name: string, path: string[], text: Text, to: string[]): void {
  const key = path.length ? path[path.length - 1] : "";
  if (name == "set") {
    const v = made(o, path);
    if (v.isThere) v.setText(key, text);
  } else if (name == "int") {
    const v = made(o, path);
    if (v.isThere) v.setInt(key, I64.parseInt(text.toString()));
  } else if (name == "bool") {
    const v = made(o, path);
    if (v.isThere) v.setBool(key, text.equals("true"));
  } else if (name == "raw") {
    const v = made(o, path);
    if (v.isThere) v.setRaw(key, text);
  } else if (name == "append") {
    const v = made(o, path);
    if (v.isThere) v.appendText(key, text);
  } else if (name == "appendraw") {
    const v = made(o, path);
    if (v.isThere) v.appendRaw(key, text);
  } else if (name == "delete") {
    there(o, path).remove(key);
  } else if (name == "rename") {
    there(o, path).rename(key, text.toString());
  } else if (name == "move") {
    const from = there(o, path);
    if (to.length && from.raw(key).exists) {
      const v = made(o, to);
      if (v.isThere) from.move(key, v, to[to.length - 1]);
    }
  } else if (name == "read") {
    const json = seen(o, path).raw(key);
    if (json.exists) o.appendText("out", json);
  } else if (name == "string") {
    const v = seen(o, path).get(key), ok = v.type == Type.String;
    note(o, ok ? v.string() : "", ok, wrong || v.exists && !ok);
  } else if (name == "number") {
    const v = seen(o, path).get(key);
    let ok = v.type == Type.Number;
    const raw = ok ? v.raw() : changetype<Text>(0);
    for (let i = raw.startsWith("-") ? 1 : 0; i < raw.length; i++) ok = ok && raw.byteAt(i) >= 0x30 && raw.byteAt(i) <= 0x39;
    note(o, (ok ? v.int() : 0).toString(), ok, wrong || v.exists && !ok);
  } else if (name == "keys") {
    const v = seen(o, path).get(key);
    if (v.type != Type.Object) return;
    for (let m = v.firstChild; m.isThere; m = m.nextChild) o.appendString("out", `${m.name} ${m.location()}`);
  } else if (name == "elements") {
    const v = seen(o, path).get(key);
    if (v.type != Type.Array) return;
    let i = 0;
    for (let e = v.firstChild; e.isThere; e = e.nextChild) {
      if (i++ % 2 == 1) e.remove();
      else e.setText(null, text);
    }
  }
}
