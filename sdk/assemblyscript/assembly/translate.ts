import { Value } from "./value";

/** Which strings of two versions correspond: [["Always", "always"], ["Never", "never"]]. */
export type Pairs = string[][];

/** Replaces the string at key by its partner and says whether it has one. One without stays as it is: the schema says what is allowed. */
export function translate(v: Value, key: string, pairs: Pairs): bool {
  return replaceBy(v, key, pairs, 0);
}

/** Translates the other way round. Of pairs that say the same on the right, the first one counts. */
export function translateBack(v: Value, key: string, pairs: Pairs): bool {
  return replaceBy(v, key, pairs, 1);
}

function replaceBy(v: Value, key: string, pairs: Pairs, from: i32): bool {
  const text = v.text(key);
  if (!text.exists) return false;
  for (let i = 0; i < pairs.length; i++) {
    if (!text.equals(pairs[i][from])) continue;
    const to = pairs[i][1 - from];
    if (!text.equals(to)) v.setString(key, to);
    return true;
  }
  return false;
}
