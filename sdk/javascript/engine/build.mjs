#!/usr/bin/env node
// Builds build/engine.wasm, which pack/pack.js puts an author's files into, and build/native.wasm, which tests run converters with:
//
//	node engine/build.mjs
//
// Of the package quickjs-wasi it takes QuickJS, as it is; with it goes what is in this directory and in sdk/assemblyscript, compiled by
// asc. binaryen's wasm-merge, which comes with asc, makes one module of both. What is newer than its sources is left alone.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dropExports, exportMutableGlobals, renameImports, staticEnd } from "../pack/wasm.js";

const sdk = fileURLToPath(new URL("..", import.meta.url)), modules = join(sdk, "node_modules"), out = join(sdk, "build");
const sources = ["engine", "pack", "package-lock.json", "../assemblyscript/assembly", "../assemblyscript/vectors.mjs"].map((name) => join(sdk, name));

/** What the exports of the finished engine are: what a gateway calls, and what pack.js does. */
const keep = /^(memory|_initialize|crosswalk_\w+)$/;
/** QuickJS' stack reaches down to here at most: 1 MiB less the half that scripts may use, less what is not checked. */
const room = 256 << 10;
const features = ["mutable-globals", "nontrapping-float-to-int", "bulk-memory", "sign-ext", "reference-types", "multivalue", "simd"];

try {
  if (!current()) build();
} catch (e) {
  console.error(`the engine could not be built: ${e.message}`);
  process.exitCode = 1;
}

function current() {
  const targets = ["engine.wasm", "native.wasm", "vectors.mjs"].map((name) => join(out, name));
  return targets.every(existsSync) && newest(sources) <= Math.min(...targets.map((file) => statSync(file).mtimeMs));
}

function newest(files) {
  return Math.max(...files.map((file) => {
    const s = statSync(file);
    return s.isDirectory() ? newest([...readdirSync(file).map((name) => join(file, name))]) : s.mtimeMs;
  }));
}

function build() {
  if (!existsSync(join(modules, "quickjs-wasi")) || !existsSync(join(modules, "assemblyscript"))) {
    // npm does not install what a package is built with when it copies it from a directory.
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
  }
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(out, ".new-"));
  try {
    const file = (name) => join(scratch, name);
    run(process.execPath, join(modules, "assemblyscript/bin/asc.js"), "engine/engine.ts", "--config", "engine/asconfig.json", "--target", "release", "-o", file("core.wasm"));
    let core = readFileSync(file("core.wasm"));
    if (staticEnd(core) > room) throw new Error(`the data of engine.ts end at ${staticEnd(core)}, where QuickJS' stack may be`);
    writeFileSync(file("native.wasm"), exportMutableGlobals(core));
    core = renameImports(core, (module, name) => name === "memory" ? ["quickjs", name] : [module, name]);
    writeFileSync(file("core.wasm"), core);
    run(process.execPath, join(modules, "binaryen/bin/wasm-merge"), join(modules, "quickjs-wasi/quickjs.wasm"), "quickjs", file("core.wasm"), "env",
      ...features.map((f) => "--enable-" + f), "-o", file("merged.wasm"));
    writeFileSync(file("slim.wasm"), dropExports(readFileSync(file("merged.wasm")), (name) => keep.test(name)));
    // Removes what nothing calls any more, and nothing else: QuickJS is optimized already.
    run(process.execPath, join(modules, "binaryen/bin/wasm-opt"), file("slim.wasm"), ...features.map((f) => "--enable-" + f),
      "--remove-unused-module-elements", "-o", file("engine.wasm"));
    writeFileSync(file("engine.wasm"), exportMutableGlobals(readFileSync(file("engine.wasm"))));
    copyFileSync(join(sdk, "../assemblyscript/vectors.mjs"), file("vectors.mjs"));
    for (const name of ["vectors.mjs", "native.wasm", "engine.wasm"]) renameSync(file(name), join(out, name));
    console.log(`built engine.wasm (${statSync(join(out, "engine.wasm")).size >> 10} KiB)`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(command, ...args) {
  execFileSync(command, args, { cwd: sdk, stdio: ["ignore", "inherit", "inherit"] });
}
