// Does what the object says: it calls the helpers in .program, [name, object, argument...], where object is the path of the object
// that the keys among the arguments are members of. Between v3 and v4 it calls lossless with the programs .forth and .back.
import { describe, lossless, register } from "crosswalk-javascript";

describe({ name: "helpers", version: "1.0.0" });
register("test.example.com/v1", "test.example.com/v2", run);
const forth = (o) => runProgram(o, "forth"), back = (o) => runProgram(o, "back");
register("test.example.com/v3", "test.example.com/v4", lossless(forth, back));
register("test.example.com/v4", "test.example.com/v3", lossless(back, forth));

function run(o) {
  runProgram(o, "program");
  o.remove("program");
}

function runProgram(o, program) {
  for (const call of o.list(program).elements()) {
    const [name, path, ...args] = call.value();
    let v = o;
    for (const key of path) v = name === "default" ? v.get(key) : v.map(key);
    apply(o, v, name, args);
  }
}

function apply(o, v, name, [key, ...args]) {
  switch (name) {
    case "split": return v.split(key, args[0], args.slice(1));
    case "join":
      if (!v.join(key, args[0], args.slice(1))) o.set("joined", false);
      return;
    case "splitlast": return v.splitLast(key, args[0], args.slice(1));
    case "joinlast":
      if (!v.joinLast(key, args[0], args.slice(1))) o.set("joined", false);
      return;
    case "intfromstring": return v.intFromString(key);
    case "stringfromint": return v.stringFromInt(key);
    case "splitlist": return v.splitList(key, args[0]);
    case "joinlist": return v.joinList(key, args[0]);
    case "listfrommap": return v.listFromMap(key, args[0], args[1]);
    case "mapfromlist": return v.mapFromList(key, args[0], args[1]);
    case "translate":
      if (!v.translate(key, args)) o.set("translated", false);
      return;
    case "translateback": return v.translateBack(key, args);
    case "removeifempty": return v.removeIfEmpty(key);
    case "default": return v.default(key, JSON.parse(args[0]));
  }
}
