//! Label selectors: as text, `role=worker,zone in (a,b),!spot`, and as Kubernetes' LabelSelector.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use crosswalk::{quoted, refuse, Error, Raw, Result, Value};

/// What must be true of labels: all of it.
#[derive(Default)]
pub struct Selector<'t> {
    labels: BTreeMap<&'t str, &'t str>,
    expressions: Vec<Expression<'t>>,
}

struct Expression<'t> {
    key: &'t str,
    operator: Operator,
    values: Vec<&'t str>,
}

/// The operators, by the names that Kubernetes gives them.
#[derive(Clone, Copy, Debug)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}
use Operator::*;

impl<'t> Selector<'t> {
    /// Reads a selector's text. The error is the part of it that makes no sense.
    pub fn parse(text: &'t str) -> core::result::Result<Self, &'t str> {
        let mut selector = Selector::default();
        let mut inside = false; // of parentheses
        let between = |c| {
            inside = if inside { c != ')' } else { c == '(' };
            c == ',' && !inside
        };
        for part in text.split(between).filter(|_| !text.trim().is_empty()) {
            selector.add(part.trim()).ok_or(part)?;
        }
        Ok(selector)
    }

    /// Adds a part of a selector's text, if it makes sense.
    fn add(&mut self, part: &'t str) -> Option<()> {
        if let Some((head, values)) = part.strip_suffix(')').and_then(|part| part.split_once('(')) {
            let (key, word) = head.trim_end().rsplit_once([' ', '\t'])?;
            let operator = match word {
                "in" => In,
                "notin" => NotIn,
                _ => return None,
            };
            return self.add_expression(key, operator, values.split(','));
        }
        if let Some(key) = part.strip_prefix('!') {
            return self.add_expression(key, DoesNotExist, []);
        }
        if let Some((key, value)) = part.split_once("!=") {
            return self.add_expression(key, NotIn, [value]);
        }
        match part.split_once('=') {
            Some((key, value)) => self.add_label(key, value.strip_prefix('=').unwrap_or(value)),
            None => self.add_expression(part, Exists, []),
        }
    }

    fn add_label(&mut self, key: &'t str, value: &'t str) -> Option<()> {
        let (key, value) = (label_key(key)?, word(value)?);
        if self.labels.contains_key(key) {
            return self.add_expression(key, In, [value]); // matchLabels has one value for each key
        }
        self.labels.insert(key, value);
        Some(())
    }

    fn add_expression(&mut self, key: &'t str, operator: Operator, values: impl IntoIterator<Item = &'t str>) -> Option<()> {
        let key = label_key(key)?;
        let values = values.into_iter().map(word).collect::<Option<_>>()?;
        self.expressions.push(Expression { key, operator, values });
        Some(())
    }

    /// Reads a LabelSelector.
    pub fn read(v: Value<'t>) -> Result<Self> {
        let no_text = |v: Value| Error::from(format!("{} must have keys and values that labels may have", v.location([])));
        let mut selector = Selector::default();
        for (key, value) in v.members("matchLabels") {
            if let Some(text) = value.str([])? {
                selector.add_label(key, text).ok_or_else(|| no_text(value))?;
            }
        }
        for e in v.elements("matchExpressions") {
            let (Some(key), Some(operator)) = (e.str("key")?, e.str("operator")?) else {
                refuse!("{} must have a key and an operator", e.location([]));
            };
            let operator = match operator {
                "In" => In,
                "NotIn" => NotIn,
                "Exists" => Exists,
                "DoesNotExist" => DoesNotExist,
                _ => refuse!("{} must be In, NotIn, Exists or DoesNotExist, but is {}", e.location("operator"), quoted(operator)),
            };
            let mut values = Vec::new();
            for value in e.elements("values") {
                values.extend(value.str([])?);
            }
            selector.add_expression(key, operator, values).ok_or_else(|| no_text(e))?;
        }
        Ok(selector)
    }

    /// Makes a LabelSelector of an empty object.
    pub fn write(&self, v: Value) {
        for (key, value) in &self.labels {
            v.set(["matchLabels", key], value);
        }
        for expression in &self.expressions {
            v.append("matchExpressions", Raw("{}"));
            let Some(e) = v.elements("matchExpressions").last() else { return };
            e.set("key", expression.key);
            e.set("operator", format!("{:?}", expression.operator));
            expression.values.iter().for_each(|value| e.append("values", value));
        }
    }
}

/// The longest name and value of a label, and the longest prefix of its key.
const LONGEST: (usize, usize) = (63, 253);

/// Returns a key without the space around it, if labels may have it.
fn label_key(text: &str) -> Option<&str> {
    let text = text.trim_matches([' ', '\t']);
    let (prefix, name) = text.split_once('/').unwrap_or(("", text));
    (!name.is_empty() && prefix.len() <= LONGEST.1 && name.len() <= LONGEST.0 && legible(text)).then_some(text)
}

/// Returns a value without the space around it, if labels may have it.
fn word(text: &str) -> Option<&str> {
    let text = text.trim_matches([' ', '\t']);
    (text.len() <= LONGEST.0 && legible(text)).then_some(text)
}

/// Reports whether a text has no character that ends a key or a value in a selector.
fn legible(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b))
}

/// Writes the selector's text.
impl Display for Selector<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mut comma = "";
        for (key, value) in &self.labels {
            write!(f, "{comma}{key}={value}")?;
            comma = ",";
        }
        for Expression { key, operator, values } in &self.expressions {
            match operator {
                In => write!(f, "{comma}{key} in ({})", values.join(",")),
                NotIn => write!(f, "{comma}{key} notin ({})", values.join(",")),
                Exists => write!(f, "{comma}{key}"),
                DoesNotExist => write!(f, "{comma}!{key}"),
            }?;
            comma = ",";
        }
        Ok(())
    }
}

#[test]
fn selectors() {
    for (text, again) in [
        ("", ""),
        (" ", ""),
        ("role=worker,zone in (a,b),!spot", "role=worker,zone in (a,b),!spot"),
        ("!spot , zone notin ( a , b ), role == worker,example.com/gpu", "role=worker,!spot,zone notin (a,b),example.com/gpu"),
        ("b=2,a=1,a=2", "a=1,b=2,a in (2)"),
        ("tier!=db,empty=", "empty=,tier notin (db)"),
    ] {
        assert_eq!(Selector::parse(text).map(|s| s.to_string()), Ok(again.into()));
        assert_eq!(Selector::parse(again).map(|s| s.to_string()), Ok(again.into()));
    }
    for (text, part) in [("a=1,,b=2", ""), ("a in 1", "a in 1"), ("a on (1)", "a on (1)"), ("x,a in (1", "a in (1"), ("cpu>4", "cpu>4"), ("!", "!")] {
        assert_eq!(Selector::parse(text).map(|s| s.to_string()), Err(part));
    }
}
