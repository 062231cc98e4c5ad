import { addString } from "./build";
import { Buffer } from "./memory";

// Numbers of an API server. It reads an integer of 64 bits as it is, and every other number as the nearest f64, of which it writes
// the shortest text that is read as the same f64. AssemblyScript's parseFloat and toString are not exact, so that is done here with
// integers of any size.

/** Enough for 10^1131 and an f64's 53 bits. */
const LIMBS = 128;

/** The border between two f64s has 767 digits at most; of more digits only "more than zero" counts. */
const DIGITS = 800;

/** A natural number; the lowest limb is the first. */
class Big {
  limbs: StaticArray<u32> = new StaticArray<u32>(LIMBS);
  n: i32 = 0;

  set(value: u64): void {
    this.limbs[0] = <u32>value;
    this.limbs[1] = <u32>(value >> 32);
    this.n = this.limbs[1] ? 2 : this.limbs[0] ? 1 : 0;
  }

  /** Multiplies, and adds plus. */
  times(factor: u32, plus: u32 = 0): void {
    let carry: u64 = plus;
    for (let i = 0; i < this.n; i++) {
      carry += <u64>this.limbs[i] * factor;
      this.limbs[i] = <u32>carry;
      carry >>= 32;
    }
    if (carry) this.limbs[this.n++] = <u32>carry;
  }

  /** Multiplies by 2^bits; a negative number of bits does nothing. */
  shift(bits: i32): void {
    for (; bits >= 31; bits -= 31) this.times(1 << 31);
    if (bits > 0) this.times(1 << bits);
  }

  /** Subtracts b, which is not larger. */
  minus(b: Big): void {
    let carry: i64 = 0;
    for (let i = 0; i < this.n; i++) {
      carry += <i64>this.limbs[i] - (i < b.n ? <i64>b.limbs[i] : 0);
      this.limbs[i] = <u32>carry;
      carry >>= 32;
    }
    while (this.n > 0 && !this.limbs[this.n - 1]) this.n--;
  }

  bits(): i32 {
    return this.n ? this.n * 32 - clz<u32>(this.limbs[this.n - 1]) : 0;
  }
}

const value = new Big(), unit = new Big(), above = new Big(), below = new Big(), total = new Big();

function compare(a: Big, b: Big): i32 {
  if (a.n != b.n) return a.n < b.n ? -1 : 1;
  for (let i = a.n - 1; i >= 0; i--) {
    if (a.limbs[i] != b.limbs[i]) return a.limbs[i] < b.limbs[i] ? -1 : 1;
  }
  return 0;
}

/** Compares a + b with c. */
function compareSum(a: Big, b: Big, c: Big): i32 {
  const n = max(a.n, b.n);
  let carry: u64 = 0;
  for (let i = 0; i < n; i++) {
    carry += (i < a.n ? <u64>a.limbs[i] : 0) + (i < b.n ? <u64>b.limbs[i] : 0);
    total.limbs[i] = <u32>carry;
    carry >>= 32;
  }
  total.n = n;
  if (carry) total.limbs[total.n++] = <u32>carry;
  return compare(total, c);
}

// The number at hand, as 0.digits * 10^point; no digits are zero.
const digits = new StaticArray<u8>(DIGITS + 1);
let count = 0, point: i64 = 0;

function read(p: usize, end: usize): void {
  let fraction = false, more = false;
  count = 0;
  point = 0;
  for (; p < end; p++) {
    const c = load<u8>(p);
    if ((c | 0x20) == 0x65) break;
    if (c == 0x2e) {
      fraction = true;
    } else if (!count && c == 0x30) {
      point -= fraction ? 1 : 0;
    } else {
      point += fraction ? 0 : 1;
      if (count < DIGITS) digits[count++] = c;
      else more = more || c != 0x30;
    }
  }
  if (p < end) point += power(p + 1, end);
  if (more) digits[count++] = 0x31;
  while (count && digits[count - 1] == 0x30) count--;
}

/** The exponent at p. Beyond 32 bits a number is 0 or refused by the gateway. */
export function power(p: usize, end: usize): i64 {
  const negative = p < end && load<u8>(p) == 0x2d;
  if (p < end && (negative || load<u8>(p) == 0x2b)) p++;
  let n: i64 = 0;
  for (; p < end; p++) n = min<i64>(n * 10 + load<u8>(p) - 0x30, <i64>i32.MAX_VALUE + <i64>negative);
  return negative ? -n : n;
}

let mantissa: u64 = 0, exponent = 0; // of the nearest f64

/** Finds the f64 nearest to the number at hand, which is not zero; of two, the even one. Returns false if the number is too large. */
function nearest(): bool {
  mantissa = 0;
  if (point > 310) return false;
  if (point < -330) return true;
  value.set(0);
  for (let i = 0; i < count; i++) value.times(10, digits[i] - 0x30);
  unit.set(1);
  for (let i = <i64>count; i < point; i++) value.times(10);
  for (let i = point; i < <i64>count; i++) unit.times(10);
  let e = value.bits() - unit.bits();
  unit.shift(e);
  value.shift(-e);
  if (compare(value, unit) < 0) {
    value.times(2);
    e--;
  }
  const bits = e < -1022 ? 53 + 1022 + e : 53;
  if (bits < 0) return true;
  for (let i = 0; i < bits; i++) {
    mantissa <<= 1;
    if (compare(value, unit) >= 0) {
      mantissa |= 1;
      value.minus(unit);
    }
    value.times(2);
  }
  exponent = e - bits + 1;
  const rest = compare(value, unit);
  if (rest > 0 || (rest == 0 && mantissa & 1)) mantissa++;
  if (mantissa == 1 << 53) {
    mantissa >>= 1;
    exponent++;
  }
  return exponent <= 971;
}

/** Sets the digits to the fewest, and nearest, that only this f64 is nearest to (Steele and White). */
function shortest(): void {
  const odd = <i32>(mantissa & 1), even = 1 - odd;
  const narrow = mantissa == 1 << 52 && exponent > -1074 ? 1 : 0; // the f64 below is nearer
  value.set(mantissa << 1 << narrow);
  unit.set(2 << narrow);
  above.set(1 << narrow);
  below.set(1);
  value.shift(exponent);
  above.shift(exponent);
  below.shift(exponent);
  unit.shift(-exponent);
  count = 0;
  point = 0;
  while (compareSum(value, above, unit) >= odd) {
    unit.times(10);
    point++;
  }
  for (let low = false, high = false; !low && !high; ) {
    let digit: u8 = 0x30;
    value.times(10);
    above.times(10);
    below.times(10);
    for (; compare(value, unit) >= 0; digit++) value.minus(unit);
    low = compare(value, below) < even;
    high = compareSum(value, above, unit) >= odd;
    const half = compareSum(value, value, unit);
    if (high && (!low || half > 0 || (half == 0 && digit & 1))) digit++;
    if (digit == 0x30 && !count) point--;
    else digits[count++] = digit;
  }
}

function addDigits(out: Buffer, from: i32, to: i32): void {
  for (let i = from; i < to; i++) out.byte(digits[i]);
}

function addZeros(out: Buffer, n: i64): void {
  for (; n > 0; n--) out.byte(0x30);
}

/** Says that a number is an integer of 64 bits, and not -0. */
function isInt(p: usize, end: usize): bool {
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  if (end - p > 19 || (negative && load<u8>(p) == 0x30)) return false;
  let n: u64 = 0; // 19 digits fit
  for (; p < end; p++) {
    const c = <u64>load<u8>(p) - 0x30;
    if (c > 9) return false;
    n = n * 10 + c;
  }
  return n <= <u64>i64.MAX_VALUE + (negative ? 1 : 0);
}

/** Appends the number as an API server writes it, and -0 as 0. A number beyond f64, which the gateway refuses, stays as it is. */
export function addServedNumber(out: Buffer, p: usize, end: usize): void {
  if (isInt(p, end)) return out.append(p, end - p);
  const negative = load<u8>(p) == 0x2d;
  read(negative ? p + 1 : p, end);
  if (count > 15 || point > 300 || point < -300) { // of others, the shortest digits are these
    if (count && !nearest()) return out.append(p, end - p);
    if (count && mantissa) shortest();
    else count = 0;
  }
  if (!count) return out.byte(0x30);
  if (negative) out.byte(0x2d);
  if (point > 21 || point < -5) {
    out.byte(digits[0]);
    if (count > 1) out.byte(0x2e);
    addDigits(out, 1, count);
    addString(out, (point > 0 ? "e+" : "e") + (point - 1).toString());
  } else if (point >= <i64>count) {
    addDigits(out, 0, count);
    addZeros(out, point - count);
  } else if (point > 0) {
    addDigits(out, 0, <i32>point);
    out.byte(0x2e);
    addDigits(out, <i32>point, count);
  } else {
    addString(out, "0.");
    addZeros(out, -point);
    addDigits(out, 0, count);
  }
}
