// Does what the object says: it runs the list of edits in .program, [name, path, argument...], on the object. The same module in
// every language lets a test compare the SDKs.
import { describe, register } from "crosswalk-javascript";

describe({ name: "edits", version: "1.0.0" });
register("test.example.com/v1", "test.example.com/v2", (o) => {
  try {
    run(o);
  } catch (e) { // a program that is malformed, which is no crash of this module
    throw new Error(`the program cannot be run: ${e}`);
  }
});

function run(o) {
  for (const edit of o.list("program").elements()) {
    const parts = [...edit.elements()], last = parts[2];
    apply(o, parts[0].string(), keys(parts[1]), last?.type === "string" ? last.string() : undefined, last?.type === "array" ? keys(last) : []);
  }
}

const keys = (list) => [...list.elements()].map((e) => e.string());

// The object that has the last key, made if need be; undefined if something else is in the way, which refuses the object.
function made(o, path) {
  let v = o;
  for (const key of path.slice(0, -1)) v = v.make(key);
  return v.type === "undefined" ? undefined : v;
}

// The same if it is there; what is wrong on the way refuses the object.
function there(o, path) {
  let v = o;
  for (const key of path.slice(0, -1)) v = v.map(key);
  return v;
}

// The value at the path, but the object is left alone: wrong says that something else is on the way.
function seen(o, path) {
  let v = o;
  for (const key of path.slice(0, -1)) {
    v = v.get(key);
    if (v.exists && v.type !== "object") return { v: v.get(""), wrong: true };
  }
  return { v, wrong: false };
}

const note = (o, text, ok, bad) => o.append("out", `${text} ${ok} ${bad}`);

function apply(o, name, path, text, to) {
  const key = path.at(-1);
  switch (name) {
    case "set": return made(o, path)?.set(key, text);
    case "int": return made(o, path)?.set(key, BigInt(text));
    case "bool": return made(o, path)?.set(key, text === "true");
    case "raw": return made(o, path)?.setRaw(key, text);
    case "append": return made(o, path)?.append(key, text);
    case "appendraw": return made(o, path)?.appendRaw(key, text);
    case "delete": return there(o, path).remove(key);
    case "rename": return there(o, path).rename(key, text);
    case "move": {
      const from = there(o, path);
      if (from.raw(key) === undefined) return;
      const v = made(o, to);
      if (v) from.move(key, v, to.at(-1));
      return;
    }
    case "read": {
      const json = seen(o, path).v.raw(key);
      if (json !== undefined) o.append("out", json);
      return;
    }
    case "string": {
      const { v, wrong } = seen(o, path), s = v.get(key), ok = !wrong && s.type === "string";
      return note(o, ok ? s.string() : "", ok, wrong || s.exists && !ok);
    }
    case "number": {
      const { v, wrong } = seen(o, path), n = v.get(key), ok = !wrong && n.type === "number" && /^-?\d+$/.test(n.raw());
      return note(o, ok ? n.int() : 0, ok, wrong || n.exists && !ok);
    }
    case "keys": {
      const { v } = seen(o, path), object = v.get(key);
      if (object.type === "object") for (const [k, m] of object.members()) o.append("out", `${k} ${m.location()}`);
      return;
    }
    case "elements": {
      const { v } = seen(o, path), list = v.get(key);
      if (list.type !== "array") return;
      let i = 0;
      for (const e of list.elements()) {
        if (i++ % 2 === 1) e.remove();
        else e.replace(text);
      }
    }
  }
}
