#!/usr/bin/env node
// Makes a module of a converter in JavaScript:
//
//	crosswalk-pack converter.js -o Disk.example.com_v1alpha1_v1.wasm
import { renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { print } from "../build/vectors.mjs";
import { pack } from "./engine.js";

const usage = "usage: crosswalk-pack FILE.js -o MODULE.wasm";

function main() {
  const { values, positionals } = parseArgs({ options: { output: { type: "string", short: "o" } }, allowPositionals: true });
  if (positionals.length !== 1 || !values.output) throw new Error(usage);
  const module = pack(positionals[0], print);
  writeFileSync(values.output + ".tmp", module);
  renameSync(values.output + ".tmp", values.output);
}

try {
  main();
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
