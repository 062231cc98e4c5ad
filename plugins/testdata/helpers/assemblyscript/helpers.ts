// Does what the object says: it calls the helpers in .program, [name, object, argument...], where object is the path of the object
// that the keys among the arguments are members of. Between v3 and v4 it calls lossless with the programs .forth and .back.
import {
  defaultRaw, describe, intFromString, join, joinLast, joinList, listFromMap, lossless, mapFromList, register, Resource, split, splitLast, splitList,
  stringFromInt, Text, translate, translateBack, Type, Value,
} from "../../../../sdk/assemblyscript/assembly";
export * from "../../../../sdk/assemblyscript/assembly/abi";

describe("helpers", "1.0.0");
register("test.example.com/v1", "test.example.com/v2", run);
register("test.example.com/v3", "test.example.com/v4", (o) => lossless(o, forth, back));
register("test.example.com/v4", "test.example.com/v3", (o) => lossless(o, back, forth));

function forth(o: Resource): void { runProgram(o, "forth"); }
function back(o: Resource): void { runProgram(o, "back"); }

function run(o: Resource): void {
  runProgram(o, "program");
  o.remove("program");
}

function runProgram(o: Resource, key: string): void {
  const program = o.list(key);
  for (let call = program.firstChild; call.isThere; call = call.nextChild) {
    let name = "", path: string[] = [], i = 0;
    const args: string[] = [], pairs: string[][] = [];
    for (let part = call.firstChild; part.isThere; part = part.nextChild) {
      if (i == 0) name = part.string();
      else if (i == 1) path = texts(part);
      else if (part.type == Type.Array) pairs.push(texts(part));
      else args.push(part.string());
      i++;
    }
    let v: Value = o;
    for (let k = 0; k < path.length; k++) v = name == "default" ? v.get(path[k]) : v.map(path[k]);
    if (!o.refused) apply(o, v, name, args, pairs);
  }
}

function apply(o: Resource, v: Value, name: string, args: string[], pairs: string[][]): void {
  const key = args[0];
  if (name == "split") {
    split(v, key, args[1], args.slice(2));
  } else if (name == "join") {
    if (!join(v, key, args[1], args.slice(2))) o.setBool("joined", false);
  } else if (name == "splitlast") {
    splitLast(v, key, args[1], args.slice(2));
  } else if (name == "joinlast") {
    if (!joinLast(v, key, args[1], args.slice(2))) o.setBool("joined", false);
  } else if (name == "intfromstring") {
    intFromString(v, key);
  } else if (name == "stringfromint") {
    stringFromInt(v, key);
  } else if (name == "splitlist") {
    splitList(v, key, args[1]);
  } else if (name == "joinlist") {
    joinList(v, key, args[1]);
  } else if (name == "listfrommap") {
    listFromMap(v, key, args[1], args[2]);
  } else if (name == "mapfromlist") {
    mapFromList(v, key, args[1], args[2]);
  } else if (name == "translate") {
    if (!translate(v, key, pairs)) o.setBool("translated", false);
  } else if (name == "translateback") {
    translateBack(v, key, pairs);
  } else if (name == "removeifempty") {
    v.removeIfEmpty(key);
  } else if (name == "default") {
    defaultRaw(v, key, Text.of(args[1]));
  }
}

function texts(list: Value): string[] {
  const out: string[] = [];
  for (let e = list.firstChild; e.isThere; e = e.nextChild) out.push(e.string());
  return out;
}
