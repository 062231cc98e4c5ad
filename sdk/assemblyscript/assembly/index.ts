// Converter modules for the Crosswalk gateway, in AssemblyScript. See the README.
export { describe } from "./describe";
export { Level, log } from "./log";
export { Converter, register } from "./module";
export { Resource } from "./object";
export { Text, Texts } from "./text";
export { Type, Value } from "./value";
