// JSON whose numbers keep their spelling: what a converter gets from value() and gives to set().

/** A number that JavaScript would write otherwise than it is written in the object: 1.50, 9007199254740993. */
export class NumberText {
  constructor(text) {
    if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) throw new SyntaxError(`${text} is no JSON number`);
    this.text = text;
  }
  valueOf() { return Number(this.text); }
  toString() { return this.text; }
  toJSON() { throw new Odd(); }
}

/** What JSON.stringify meets that it cannot write as it should be. */
export class Odd extends Error {}

/** Whether there may be such a number: JSON.parse is much faster than what is written in JavaScript. */
const odd = /\d[.eE]|\d{16}|-0/;
const token = /[\s]*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:])/y;

/** Parses JSON. Numbers that would change their spelling become NumberTexts. */
export function parse(text) {
  if (!odd.test(text)) return JSON.parse(text);
  token.lastIndex = 0;
  const next = () => token.exec(text)?.[1];
  const value = (first) => {
    if (first === "{") {
      const out = {};
      for (let t = next(); t !== "}"; t = next()) {
        const key = JSON.parse(t === "," ? next() : t);
        next(); // the colon
        const v = value(next());
        if (key === "__proto__") Object.defineProperty(out, key, { value: v, writable: true, enumerable: true, configurable: true });
        else out[key] = v;
      }
      return out;
    }
    if (first === "[") {
      const out = [];
      for (let t = next(); t !== "]"; t = next()) out.push(value(t === "," ? next() : t));
      return out;
    }
    if (first[0] === '"' || first > "Z") return JSON.parse(first); // true, false, null
    const number = Number(first);
    return String(number) === first ? number : new NumberText(first);
  };
  return value(next());
}

/**
 * Writes JSON, as JSON.stringify does, but BigInts and NumberTexts as numbers, and what json(v) has a text for as that. What is no number is
 * an error, and not null.
 */
export function write(v, json) {
  try {
    // Much faster than what is written in JavaScript, where it will do: an infinite number becomes null.
    const text = JSON.stringify(v);
    if (text !== undefined && !text.includes("null")) return text;
  } catch (e) {
    if (!(e instanceof Odd || e instanceof TypeError)) throw e; // a TypeError is a BigInt's, or comes again
  }
  return writeSlowly(v, json);
}

function writeSlowly(v, json) {
  if (v instanceof NumberText) return v.text;
  const own = json(v);
  if (own !== undefined) return own;
  if (v !== null && typeof v === "object" && typeof v.toJSON === "function") v = v.toJSON();
  switch (typeof v) {
    case "string": return JSON.stringify(v);
    case "boolean": case "bigint": return String(v);
    case "number":
      if (!Number.isFinite(v)) throw new TypeError(`${v} is no JSON value`);
      return JSON.stringify(v);
    case "object":
      if (v === null) return "null";
      break;
    default:
      throw new TypeError(`${typeof v} is no JSON value`);
  }
  let out = "", separator = "";
  if (Array.isArray(v)) {
    for (const e of v) {
      out += separator + writeSlowly(e === undefined ? null : e, json);
      separator = ",";
    }
    return "[" + out + "]";
  }
  for (const key of Object.keys(v)) {
    if (v[key] === undefined) continue;
    out += separator + JSON.stringify(key) + ":" + writeSlowly(v[key], json);
    separator = ",";
  }
  return "{" + out + "}";
}
