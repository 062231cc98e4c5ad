// What test.mjs packs and runs natively.
import { declareFields, describe, log, lossless, NumberText, register } from "crosswalk-javascript";
import { half } from "./more/half.js";

describe({ name: "test" });
for (const version of ["v1", "v2"]) declareFields(`e.g/${version}`, ["spec"]);
declareFields("e.g/new", ["spec", "metadata.annotations['conversion.e.g/stash']"]);
declareFields("e.g/old", ["spec", "metadata.annotations"]);
let kept;

register("e.g/v1", "e.g/v2", (o) => {
  const spec = o.map("spec"), what = spec.string("do");
  if (spec.string("then") === "stumble") return what.length;
  switch (what) {
    case "throw": throw new Error("not today");
    case "stumble": return spec.nothing.at.all;
    case "stumble deeper": return (function inner() { spec.nothing.at.all(); })();
    case "add": return spec.set("sum", spec.value("n") + 1);
    case "multiply": return spec.set("product", spec.value("n") * 2);
    case "length": return spec.set("length", spec.value("long").text.length);
    case "refuse silently": return o.refuse("");
    case "refuse": return o.refuse(".spec.do is refused");
    case "recurse": return (function again() { again(); })();
    case "wait": return Promise.resolve();
    case "keep": return void (kept = spec);
    case "use what was kept": return kept.string("do");
    case "numbers": {
      const v = spec.value("numbers");
      v.added = [1n << 60n, new NumberText("1.50"), 1e21, -0, { "__proto__": 1 }];
      return spec.set("numbers", v);
    }
    case "ints": return spec.set("ints", [...spec.elements("ints")].map((e) => `${typeof e.int()} ${e.int()}`));
    case "no JSON": return spec.set("f", () => {});
    case "infinite": return spec.set("f", 1 / 0);
    case "log":
      log.warn("a", { b: new NumberText("1.0") }, spec.get("do"));
      return console.log(undefined, [1]);
    case "half": return spec.set("half", half(spec.int("n")));
    case "default": return spec.default("d", 1);
    case "clock": return spec.set("clock", [Date.now(), Math.random() === Math.random()]);
  }
});
register("e.g/v2", "e.g/v1", () => {});

function toOld(o) {
  o.map("spec").remove("tls");
}
register("e.g/new", "e.g/old", lossless(toOld, (o) => o.restore()));
register("e.g/old", "e.g/new", lossless((o) => {}, toOld));
