// The module that test.mjs tests the SDK with.
import { log, Level, lossless, register, Resource, Text, Type, Value } from "../assembly";
import { pointerTo, token, at } from "../assembly/pointer";
import { built } from "../assembly/build";
import { hash } from "../assembly/hash";
import { Buffer } from "../assembly/memory";
import { addServed } from "../assembly/served";
import { hashed, hashFor, parse } from "../assembly/stash";
export * from "../assembly/abi";

register("e.g/new", "e.g/old", toOld);
register("e.g/old", "e.g/new", toNew);
register("e.g/stash", "e.g/checked", checkStash);
register("e.g/garbage", "e.g/litter", litter);
register("e.g/trap", "e.g/sprung", trap);

function toOld(o: Resource): void { lossless(o, down, up); }
function toNew(o: Resource): void { lossless(o, up, down); }

function down(o: Resource): void {
  const spec = o.map("spec"), hosts = spec.list("hosts"), short = spec.list("short");
  spec.rename("replicas", "size");
  for (let h = hosts.firstChild; h.isThere; h = h.nextChild) h.remove("port");
  spec.remove("tls");
  o.remove("top");
  let i = 0;
  for (let e = short.firstChild; e.isThere; e = e.nextChild) if (i++ > 0) e.remove();
}

function up(o: Resource): void {
  o.map("spec").rename("size", "replicas");
  if (!o.map("spec").has("policy")) o.make("spec").setString("policy", "invented");
}

// Checks the vectors of plugins/testdata/stash.json, which the object has in .vectors, and counts them.
function checkStash(o: Resource): void {
  let count = 0;
  const vectors = o.get("vectors"), hashes = vectors.list("hash"), fors = vectors.list("for"), pointers = vectors.list("pointer");
  for (let v = hashes.firstChild; v.isThere; v = v.nextChild) {
    expect(o, v.raw(), hex(hash(parse(v.text("json")))), v.string("hash"));
    count++;
  }
  for (let v = fors.firstChild; v.isThere; v = v.nextChild) {
    const object = changetype<Resource>(parse(v.text("json")));
    const list = v.list("hashes");
    for (let h = list.firstChild; h.isThere; h = h.nextChild) {
      if (!hashFor(object, h.get("for"))) o.refuse(`${h.raw()} is no list of pointers`);
      expect(o, h.raw(), hex(hashed), h.string("hash"));
      count++;
    }
  }
  for (let v = pointers.firstChild; v.isThere; v = v.nextChild) {
    let pointer = "", there: Value = changetype<Value>(parse(Text.of("{}")));
    const keys = v.list("keys"), root = there;
    for (let k = keys.firstChild; k.isThere; k = k.nextChild) {
      pointer += token(k.string());
      there = there.make(k.string());
    }
    expect(o, v.raw(), pointer, v.string("pointer"));
    if (at(root, pointer) != there) o.refuse(`${pointer} leads elsewhere`);
    if (pointerTo(there) != pointer) o.refuse(`${pointer} is written ${pointerTo(there)}`);
    count++;
  }
  const served = vectors.list("served");
  for (let v = served.firstChild; v.isThere; v = v.nextChild) {
    const out = Buffer.make(), json = parse(v.text("json"));
    addServed(out, json);
    expect(o, v.raw(), built(out).toString(), v.string("served"));
    expect(o, v.raw(), hex(hash(json)), hex(hash(parse(v.text("served")))));
    count++;
  }
  o.remove("vectors");
  o.setInt("count", count);
}

function expect(o: Resource, what: Text, got: string, want: string): void {
  if (got != want) o.refuse(`${what}: got ${got}, want ${want}`);
}

function hex(w: u64): string {
  let out = "";
  for (let shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef".charAt(<i32>(w >> shift & 15));
  return out;
}

// Leaves garbage behind, managed and not.
function litter(o: Resource): void {
  let s = "";
  for (let i = 0; i < 20; i++) s += `${o.string("kind")} ${i} `;
  log(Level.Debug, s);
  o.setString("s", s);
}

function trap(o: Resource): void {
  const numbers = [1, 2, 3];
  o.setInt("n", numbers[<i32>o.int("n")]);
}
