//! Durations as Kubernetes writes them: `1h30m0s`.

const SECOND: i64 = 1_000_000_000;

/// The units, in nanoseconds.
const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),  // with the micro sign
    ("\u{3bc}s", 1_000), // with the Greek letter
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];

/// Returns the seconds of a text such as `1h30m` or `1.5s`, rounded up; `None` if it is no duration, or one beyond 290 years.
pub fn parse(text: &str) -> Option<i64> {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    let of_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut total = 0_i64;
    loop {
        let (number, tail) = rest.split_at(rest.find(|c| !of_number(c))?);
        let (unit, tail) = tail.split_at(tail.find(of_number).unwrap_or(tail.len()));
        let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(nanoseconds(number, *scale)?)?;
        rest = tail;
        if rest.is_empty() {
            break;
        }
    }
    if text.starts_with('-') {
        total = -total;
    }
    Some(total.div_euclid(SECOND) + i64::from(total.rem_euclid(SECOND) != 0))
}

/// Returns a number such as `1.5` times `scale`. What is behind the sixth place is left out.
fn nanoseconds(number: &str, scale: i64) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let of = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u32>().ok().map(i64::from) };
    let places = fraction.len().min(6);
    let part = of(fraction.get(..places)?)?.checked_mul(scale)? / 10_i64.pow(places as u32);
    of(whole)?.checked_mul(scale)?.checked_add(part)
}

/// Returns seconds as Kubernetes writes a duration.
pub fn format(seconds: i64) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    let s = seconds.unsigned_abs();
    match (s / 3600, s / 60 % 60, s % 60) {
        (0, 0, s) => format!("{sign}{s}s"),
        (0, m, s) => format!("{sign}{m}m{s}s"),
        (h, m, s) => format!("{sign}{h}h{m}m{s}s"),
    }
}

#[test]
fn durations() {
    for (text, seconds, formatted) in [
        ("0", 0, "0s"),
        ("30s", 30, "30s"),
        ("5m", 300, "5m0s"),
        ("1h30m0s", 5400, "1h30m0s"),
        ("90m", 5400, "1h30m0s"),
        (".5h", 1800, "30m0s"),
        ("1.5s", 2, "2s"),
        ("1ns", 1, "1s"),
        ("1h1us", 3601, "1h0m1s"),
        ("-1m", -60, "-1m0s"),
        ("-1.5s", -1, "-1s"),
        ("+2m", 120, "2m0s"),
    ] {
        assert_eq!(parse(text), Some(seconds), "{text}");
        assert_eq!(format(seconds), formatted);
    }
    for text in ["", "-", "5", "m", "5 m", "5m ", "1.2.3s", "5d", "1h30", ".s", "-+5s", "1.+5s", "4000000h", "1.5µ"] {
        assert_eq!(parse(text), None, "{text}");
    }
}
