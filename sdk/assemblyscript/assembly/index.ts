// Converter modules for the Crosswalk gateway, in AssemblyScript. See the README.
export { defaultBool, defaultInt, defaultRaw, defaultString, isFragment } from "./default";
export { describe } from "./describe";
export { declareFields } from "./fields";
export { listFromMap, mapFromList } from "./keyed";
export { Level, log } from "./log";
export { lossless } from "./lossless";
export { Converter, register } from "./module";
export { Resource } from "./object";
export { intFromString, stringFromInt } from "./digits";
export { join, joinLast, joinList, split, splitLast, splitList } from "./split";
export { restore, stash, stashFor } from "./stash";
export { Text, Texts } from "./text";
export { Pairs, translate, translateBack } from "./translate";
export { Type, Value } from "./value";
