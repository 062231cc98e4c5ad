/**
 * Makes a test of each case in a file, for node --test: [{"name", "desiredAPIVersion", "objects", "want" | "wantError"}]. The converters
 * run in Node.js itself; import them before.
 */
export function vectors(file: string): void;
