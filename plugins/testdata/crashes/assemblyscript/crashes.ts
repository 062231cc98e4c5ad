// Does what the object says in .spec.do: it refuses, throws or uses up its memory. The same module in every language lets a test see that
// a crash is a crash in all of them.
import { describe, register, Resource } from "../../../../sdk/assemblyscript/assembly";
export * from "../../../../sdk/assemblyscript/assembly/abi";

describe("crashes", "1.0.0");
register("example.com/v1", "example.com/v2", run);

function run(o: Resource): void {
  const what = o.map("spec").string("do");
  if (what == "refuse") o.refuse("not today");
  if (what == "silent") o.refuse("");
  if (what == "crash") throw new Error("no such field");
  if (what == "memory") {
    const held: string[] = ["x"];
    while (true) held.push(held.join("") + held.join(""));
  }
}
