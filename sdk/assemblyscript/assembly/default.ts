import { fail } from "./document";
import { shown } from "./fields";
import { Text } from "./text";
import { Type, Value } from "./value";

/**
 * Whether the object may be a part of one: it has no metadata.uid, which every object has that is stored or about to be. Server-side
 * apply converts fragments to find out who owns which field; a field that a conversion puts into one becomes the applier's. A module
 * that declares its fields has to declare metadata.uid for it; else the object is refused.
 */
export function isFragment(o: Value): bool {
  if (!shown("metadata.uid")) {
    fail(o.home, "the module declares fields, and asks whether an object is a fragment: it has to declare metadata.uid too (declareFields)");
  }
  return o.get("metadata").get("uid").type != Type.String;
}

/** Puts a string at key if nothing, or null, is there; not in a fragment, and not where v is absent. Says whether it did. */
export function defaultString(v: Value, key: string, s: string): bool {
  if (!lacks(v, key)) return false;
  v.setString(key, s);
  return true;
}

export function defaultInt(v: Value, key: string, i: i64): bool {
  if (!lacks(v, key)) return false;
  v.setInt(key, i);
  return true;
}

export function defaultBool(v: Value, key: string, b: bool): bool {
  if (!lacks(v, key)) return false;
  v.setBool(key, b);
  return true;
}

/** Text that is not JSON refuses the object. */
export function defaultRaw(v: Value, key: string, json: Text): bool {
  if (!lacks(v, key)) return false;
  v.setRaw(key, json);
  return !v.refused;
}

function lacks(v: Value, key: string): bool {
  if (v.type != Type.Object) return false;
  const root = v.home.root;
  return root != null && !isFragment(root) && !v.has(key);
}
