// Tests of the SDK: what the shared vectors of the converters do not reach. Run with node --test.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Module } from "../vectors.mjs";

const sdk = fileURLToPath(new URL("..", import.meta.url)), scratch = mkdtempSync(join(tmpdir(), "crosswalk-"));
after(() => rmSync(scratch, { recursive: true }));
const file = build("sdk");
const logged = [], module = load(file);

function build(name, ...options) {
  const out = join(scratch, name + ".wasm");
  execFileSync(join(sdk, "node_modules/.bin/asc"), [`test/${name}.ts`, "--config", "asconfig.json", "--target", "release", "-o", out, ...options], { cwd: sdk });
  return out;
}

function load(file) {
  return Module.load(file, (level, text) => logged.push(`${level} ${text}`));
}

function convert(object, to) {
  const [answer] = module.convert(to, [object]);
  assert.strictEqual(answer.refusal, undefined);
  return answer.object;
}

test("hashes, pointers and what a hash is taken for are those of the shared vectors", () => {
  const vectors = readFileSync(join(sdk, "../../plugins/testdata/stash.json"), "utf8");
  const { count } = JSON.parse(convert(`{"apiVersion":"e.g/stash","vectors":${vectors}}`, "e.g/checked"));
  assert.ok(count > 120, `${count} vectors`);
});

test("lossless, there and back", () => {
  for (const [was, is, kept] of [
    [`"metadata":{},"spec":{"policy":"p"}}`, `"metadata":{},"spec":{"policy":"p"}}`, ``],
    [`"metadata":{},"spec":{"policy":"p","hosts":[{"n":1,"port":2},{"n":3}],"tls":{"a":1}},"top":1.50}`, null,
      `"set":{"/spec/hosts/0/port":2,"/spec/tls":{"a":1},"/top":1.50}`],
    [`"metadata":{},"spec":{"policy":"p","short":[1,2]}}`, null, `"set":{"/spec/short":[1,2]}`],
    [`"metadata":{},"spec":{"replicas":1}}`, null, `"gone":["/spec/policy"]`],
    [`"metadata":{}}`, null, `"gone":["/spec"]`],
    [`"spec":{"tls":1}}`, `"spec":{}}`, null],
  ]) {
    const object = `{"apiVersion":"e.g/new",${was}`, old = convert(object, "e.g/old");
    if (is) assert.strictEqual(old, `{"apiVersion":"e.g/old",${is}`);
    if (kept === null) continue;
    assert.strictEqual(old.includes('"conversion.e.g/stash":'), kept !== "", old);
    assert.ok(old.includes(JSON.stringify(kept).slice(1, -1)), `${old} should keep ${kept}`);
    assert.strictEqual(convert(old, "e.g/new").length, object.length); // members may have other places
  }
});

test("a stash that is too long refuses the object", () => {
  const big = JSON.stringify("x".repeat(140000));
  const [{ refusal }] = module.convert("e.g/old", [`{"apiVersion":"e.g/new","metadata":{},"spec":{"policy":"p","tls":${big}}}`]);
  assert.match(refusal, /^old cannot hold this object: what it has no place for needs 140\d\d\d bytes in the annotation conversion.e.g\/stash, which may have 131072$/);
});

test("a batch of ten thousand objects leaves memory where it was", () => {
  const object = `{"apiVersion":"e.g/garbage","kind":"Example"}`, size = () => module.exports.memory.buffer.byteLength;
  module.convert("e.g/litter", Array(100).fill(object));
  const before = size();
  module.convert("e.g/litter", Array(10000).fill(object));
  assert.ok(size() - before < 12 << 20, `memory grew from ${before} to ${size()}`); // request and response have 6 MB
});

test("a trap says where", () => {
  logged.length = 0;
  assert.throws(() => Module.load(file, (level, text) => logged.push(`${level} ${text}`)).convert("e.g/sprung", [`{"apiVersion":"e.g/trap","n":7}`]), WebAssembly.RuntimeError);
  assert.match(logged.join(), /^3 Index out of range at ~lib\/array.ts:/);
});

test("declared fields are described, and what is missing among them is told", () => {
  const declared = load(build("declared", "--optimizeLevel", "0", "--shrinkLevel", "0")); // which takes a third of the time
  for (let i = 0; i < 2; i++) { // the text is made anew each time
    assert.strictEqual(declared.describe(), '{"language":"assemblyscript","sdk":"crosswalk-assemblyscript/1.0.0","name":"declared","fields":{' +
      `"v1":["spec"],"v2":["metadata.name"],"v3":["metadata.annotations['x\\"y']"],` + // a real module has one group
      `"v1":["spec","metadata.annotations['conversion.full/stash']"],"v2":["metadata.uid"],"v3":[]}}`);
  }
  const noUid = "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (declareFields)";
  const noStash = "the module declares fields, and keeps a stash: it has to declare metadata.annotations['conversion.bare/stash'] too (declareFields)";
  for (const [from, to, refusal] of [
    ["bare/v1", "bare/v2", noUid], ["bare/v2", "bare/v1", noStash], ["bare/v3", "bare/v1", noStash],
    ["full/v1", "full/v2"], ["full/v2", "full/v1"], ["full/v3", "full/v1"],
  ]) {
    const [answer] = declared.convert(to, [`{"apiVersion":"${from}","kind":"K","metadata":{"uid":"u"},"spec":{"size":1}}`]);
    assert.strictEqual(answer.refusal, refusal, `${from} to ${to}`);
  }
});
