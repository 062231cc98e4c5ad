// JSON whose numbers keep their spelling: what a converter gets from value() and gives to set().

/** A number that JavaScript would write otherwise than it is written in the object: 1.50, 9007199254740993. */
export class NumberText {
  constructor(text) {
    if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) throw new SyntaxError(`${text} is no JSON number`);
    this.text = text;
  }
  /** What operators use. `n + 1` throws where the number of JavaScript is another one: the sum would be wrong, and nothing would say so. */
  [Symbol.toPrimitive](hint) {
    if (hint === "string") return this.text;
    const number = Number(this.text);
    if (hint === "default" && /^-?\d+$/.test(this.text) && !Number.isSafeInteger(number)) {
      throw new TypeError(`${this.text} is beyond the integers that JavaScript's numbers hold exactly: calculate with BigInt(n.text)`);
    }
    return number;
  }
  valueOf() { return Number(this.text); }
  toString() { return this.text; }
  toJSON() { throw new Odd(); }
}

/** What JSON.stringify meets that it cannot write as it should be. */
export class Odd extends Error {}

/** Whether there may be such a number: JSON.parse is much faster than what is written in JavaScript. */
const odd = /\d[.eE]|\d{16}|-0/;
const token = /\s*(["[\]{},:]|-?\d[\d.eE+-]*|true|false|null)/y;

/**
 * The offset after the text in quotes that begins at an offset. A regular expression would remember every character, and fails at half a MiB.
 */
function endOfText(text, start) {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end; // of the backslashes before the quote, which is one of the text if they are odd in number
    while (text[first - 1] === "\\") first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Parses JSON. Numbers that would change their spelling become NumberTexts. */
export function parse(text) {
  if (!odd.test(text)) return JSON.parse(text);
  token.lastIndex = 0;
  const next = () => {
    const t = token.exec(text)?.[1];
    if (t !== '"') return t;
    const start = token.lastIndex - 1;
    return text.slice(start, (token.lastIndex = endOfText(text, start)));
  };
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
