// Tests of the SDK: what the shared vectors of the converters do not reach. Each runs twice: in Node.js, and in the engine.
import assert from "node:assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Module } from "../build/vectors.mjs";
import { pack } from "../pack/engine.js";
import { inert } from "../pack/inert.js";
import { convert } from "../index.js";
import "./converter/converter.js";

const here = (name) => fileURLToPath(new URL(name, import.meta.url)), scratch = mkdtempSync(join(tmpdir(), "crosswalk-"));
after(() => rmSync(scratch, { recursive: true }));
const file = join(scratch, "test.wasm"), packed = pack(here("converter/converter.js"));
writeFileSync(file, packed);
const logged = [], module = Module.load(file, (level, text) => logged.push(`${level} ${text}`), inert);

const ways = { "in Node.js": { convert }, "in the engine": module };

for (const [way, runner] of Object.entries(ways)) {
  const ask = (spec) => runner.convert("e.g/v2", [`{"apiVersion":"e.g/v1","spec":${typeof spec === "string" ? spec : JSON.stringify(spec)}}`])[0];

  // A crash ends the response of the module; Module.convert throws it.
  const crash = (spec) => {
    try {
      return `answered ${JSON.stringify(ask(spec))}`;
    } catch (e) {
      return e.message;
    }
  };

  test(`an Error refuses the object, ${way}`, () => {
    assert.deepStrictEqual(ask({ do: "throw" }), { refusal: "not today" });
    assert.deepStrictEqual(ask({ do: "refuse" }), { refusal: ".spec.do is refused" });
    assert.match(ask({ do: "default" }).refusal, /declares fields.* metadata\.uid/);
    assert.deepStrictEqual(ask({ do: "refuse silently" }), { refusal: "" });
    assert.deepStrictEqual(ask({ do: 1 }), { refusal: ".spec.do must be a string, but is a number" });
    assert.deepStrictEqual(ask({ do: 2, then: "stumble" }), { refusal: ".spec.do must be a string, but is a number" });
    assert.deepStrictEqual(ask({}), { object: `{"apiVersion":"e.g/v2","spec":{}}` });
  });

  test(`anything else that is thrown is a crash, ${way}`, () => {
    assert.match(crash({ do: "stumble" }), /^the converter crashed: uncaught TypeError: .*undefined.* at converter\.js:\d+:\d+$/);
    assert.match(crash({ do: "stumble deeper" }), /^the converter crashed: uncaught TypeError: .*undefined.* at converter\.js:\d+:\d+, called at converter\.js:\d+:\d+$/);
    assert.match(crash({ do: "recurse" }), /^the converter crashed: uncaught RangeError: Maximum call stack size exceeded/);
    assert.strictEqual(crash({ do: "wait" }), "the converter crashed: the converter is asynchronous, and there is nothing to wait for in a gateway");
    assert.match(crash({ do: "no JSON" }), /^the converter crashed: uncaught TypeError: function is no JSON value at converter\.js:\d+:\d+$/);
    assert.match(crash({ do: "infinite" }), /^the converter crashed: uncaught TypeError: Infinity is no JSON value/);
    assert.deepStrictEqual(ask({}), { object: `{"apiVersion":"e.g/v2","spec":{}}` });
  });

  test(`a value is not for later, ${way}`, () => {
    ask({ do: "keep" });
    assert.strictEqual(crash({ do: "use what was kept" }), "the converter crashed: a value is used after the conversion of its object has returned");
  });

  test(`numbers keep their spelling, ${way}`, () => {
    const numbers = `{"a":[1.50,-0,9007199254740993,1E+2,12],"b":"1.50","__proto__":{"c":1.0},"d":"\\u0000\\"1.0"}`;
    assert.deepStrictEqual(ask(`{"do":"numbers","numbers":${numbers}}`), { object: `{"apiVersion":"e.g/v2","spec":{"do":"numbers","numbers":` +
      `{"a":[1.50,-0,9007199254740993,1E+2,12],"b":"1.50","__proto__":{"c":1.0},"d":"\\u0000\\"1.0","added":[1152921504606846976,1.50,1e+21,0,{}]}}}` });
    assert.deepStrictEqual(ask(`{"do":"ints","ints":[9007199254740991,9007199254740992,-9223372036854775808]}`).object,
      `{"apiVersion":"e.g/v2","spec":{"do":"ints","ints":["number 9007199254740991","bigint 9007199254740992","bigint -9223372036854775808"]}}`);
    assert.match(ask(`{"do":"ints","ints":[1.5]}`).refusal, /^\.spec\.ints\[0\] must be an integer of 64 bits, but is 1\.5$/);
  });

  test(`sums are exact or fail, ${way}`, () => {
    assert.strictEqual(ask(`{"do":"add","n":1.50}`).object, `{"apiVersion":"e.g/v2","spec":{"do":"add","n":1.50,"sum":2.5}}`);
    assert.strictEqual(ask(`{"do":"multiply","n":1.50}`).object, `{"apiVersion":"e.g/v2","spec":{"do":"multiply","n":1.50,"product":3}}`);
    assert.match(crash(`{"do":"add","n":9007199254740993}`), /uncaught TypeError: 9007199254740993 is beyond the integers .* BigInt\(n\.text\) at converter\.js:/);
  });

  test(`a text of a MiB beside a number with a spelling of its own, ${way}`, () => {
    const text = "x\\\"\\\\".repeat(200_000);
    assert.ok(ask(`{"do":"length","long":{"n":1.50,"text":"${text}"}}`).object.endsWith(`"length":600000}}`));
  });

  test(`other files are imported, ${way}`, () => {
    assert.strictEqual(ask({ do: "half", n: 5 }).object, `{"apiVersion":"e.g/v2","spec":{"do":"half","n":5,"half":2.5}}`);
  });

  test(`lossless, there and back, ${way}`, () => {
    const spec = `"spec":{"hosts":[1.0],"tls":{"a":1}}}`;
    const [{ object: old }] = runner.convert("e.g/old", [`{"apiVersion":"e.g/new","metadata":{"uid":"u"},${spec}`]);
    assert.ok(old.endsWith(`"spec":{"hosts":[1.0]}}`) && old.includes("conversion.e.g/stash"), old);
    assert.deepStrictEqual(runner.convert("e.g/new", [old]), [{ object: `{"apiVersion":"e.g/new","metadata":{"uid":"u"},${spec}` }]);
  });

  test(`ten thousand objects in a batch, ${way}`, () => {
    const answers = runner.convert("e.g/v2", Array(10000).fill(`{"apiVersion":"e.g/v1","spec":{"do":"half","n":4}}`));
    assert.ok(answers.every((a) => a.object === `{"apiVersion":"e.g/v2","spec":{"do":"half","n":4,"half":2}}`));
  });
}

test("the log", () => {
  logged.length = 0;
  module.convert("e.g/v2", [`{"apiVersion":"e.g/v1","spec":{"do":"log"}}`]);
  assert.deepStrictEqual(logged, [`2 a {"b":1.0} "log"`, "1 undefined [1]"]);
});

test("a module is a pure function", () => {
  const again = () => Module.load(file, () => {}, inert).convert("e.g/v2", [`{"apiVersion":"e.g/v1","spec":{"do":"clock"}}`])[0].object;
  assert.strictEqual(again(), again());
  assert.ok(packed.equals(pack(here("converter/converter.js"))), "the same files make another module");
});

test("the module describes itself, and has what a gateway calls and nothing else", () => {
  const annotation = "metadata.annotations['conversion.e.g/stash']";
  assert.deepStrictEqual(JSON.parse(module.describe()), { language: "javascript", sdk: "crosswalk-javascript/1.0.0", name: "test",
    fields: { v1: ["spec"], v2: ["spec"], new: ["spec", annotation], old: ["spec", "metadata.annotations"] } });
  assert.deepStrictEqual(Object.keys(module.exports).sort(), ["crosswalk_abi_v1", "crosswalk_alloc", "crosswalk_convert", "crosswalk_describe", "memory"]);
  assert.ok(packed.length < 1 << 20, `${packed.length} bytes do not fit a ConfigMap`);
});

test("what is wrong with a script is said when it is packed", () => {
  for (const [script, want] of [
    ["let x = ;", /^SyntaxError: .*\n\s+at wrong\.js:1/],
    ["throw new Error('at once')", /^Error: at once\n\s+at .*wrong\.js:1/],
    ["1", /^the script registers no conversion: register\(from, to, convert\)$/],
    ["import { register } from 'crosswalk-javascript'; register('e.g/v1', 'e.g/v2')", /^TypeError: the conversion from e\.g\/v1 to e\.g\/v2 has no function/],
    ["import { register } from 'crosswalk-javascript'; register('v1', 'v1', () => {})", /^Error: a conversion needs two different versions, not "v1" and "v1"/],
    ["import { register } from 'crosswalk-javascript'; register('v1', 'v2', () => {}); register('v1', 'v2', () => {})", /^Error: the conversion from v1 to v2 is registered twice/],
    ["import { declareFields } from 'crosswalk-javascript'; declareFields('v1', []); declareFields('v1', [])", /^Error: the fields of v1 are declared twice/],
    ["await new Promise(() => {})", /^the script waits for something \(await\), and there is nothing to wait for in a gateway$/],
    ["import './gone.js'", /^the import of "gone\.js": ENOENT/],
    ["import 'lodash'", / imports "lodash": only files with /],
    ["import { nothing } from 'crosswalk-javascript'", /^SyntaxError: .*nothing/],
  ]) {
    const wrong = join(scratch, "wrong.js");
    writeFileSync(wrong, script);
    assert.throws(() => pack(wrong, () => {}), (e) => want.test(e.message) || assert.fail(`${script}\nsays ${e.message}\nand not ${want}`));
  }
});

