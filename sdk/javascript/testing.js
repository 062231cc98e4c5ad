// Tests of converters, for node --test.
import { test } from "node:test";
import { check, read } from "./build/vectors.mjs";
import { convert } from "./index.js";

/**
 * Makes a test of each case in a file: [{"name", "desiredAPIVersion", "objects", "want" | "wantError"}]. The converters run in Node.js
 * itself; import them before. Numbers are compared by their spelling, members in any order.
 */
export function vectors(file) {
  for (const c of read(file)) {
    test(c.name, () => {
      const failures = check({ convert }, c);
      if (failures.length) throw new Error(failures.join("\n"));
    });
  }
}
