// Does what the object says in .spec.do: it refuses, throws or uses up its memory. The same module in every language lets a test see that
// a crash is a crash in all of them.
import { describe, register } from "crosswalk-javascript";

describe({ name: "crashes", version: "1.0.0" });
register("example.com/v1", "example.com/v2", (o) => {
  switch (o.map("spec").string("do")) {
    case "refuse": return o.refuse("not today");
    case "silent": return o.refuse("");
    case "crash": return o.no.such.field;
    case "memory": for (let held = ["x"]; ; held.push(held.join() + held.join()));
  }
});
