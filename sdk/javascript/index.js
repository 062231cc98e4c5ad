// What a converter imports when it runs in Node.js, for its tests. Within a module, engine/module.js is in its place.
import { start } from "./native.js";

const { sdk, convert } = start();
export const { register, describe, declareFields, lossless, log, NumberText } = sdk;

/**
 * For tests: converts objects, JSON texts, to a version, with the converters that have been registered. Each answer is {object}, a JSON
 * text, or {refusal}.
 */
export { convert };
