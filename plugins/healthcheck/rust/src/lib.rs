//! Converts HealthCheck.machines.example.com between v1beta1, which has its selector and its durations as text, and v1, which
//! has a label selector and seconds.

mod duration;
mod selector;

use crosswalk::{quoted, refuse, Object, Raw, Result, Value};
use selector::Selector;

const V1BETA1: &str = "machines.example.com/v1beta1";
const V1: &str = "machines.example.com/v1";

crosswalk::module! {
    name: "healthcheck",
    version: "1.0.0",
    licence: "Apache-2.0",
    conversions: [
        to_v1: V1BETA1 => V1,
        to_beta: V1 => V1BETA1,
    ],
    fields: [ // the rest of an object passes by
        V1BETA1 => [
            "spec.selector", "spec.nodeStartupTimeout", "spec.unhealthyConditions", "spec.maxUnhealthy",
            "metadata.annotations['conversion.machines.example.com/stash']",
        ],
        V1 => [
            "spec.selector", "spec.checks.nodeStartupTimeoutSeconds", "spec.checks.unhealthyNodeConditions",
            "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo",
            "metadata.annotations['conversion.machines.example.com/stash']",
        ],
    ],
}

const SELECTOR: [&str; 2] = ["spec", "selector"];
const STARTUP: [&str; 2] = ["spec", "nodeStartupTimeout"]; // v1beta1
const STARTUP_SECONDS: [&str; 3] = ["spec", "checks", "nodeStartupTimeoutSeconds"];
const CONDITIONS: [&str; 2] = ["spec", "unhealthyConditions"]; // v1beta1
const NODE_CONDITIONS: [&str; 3] = ["spec", "checks", "unhealthyNodeConditions"];
const MAX_UNHEALTHY: [&str; 2] = ["spec", "maxUnhealthy"]; // v1beta1
const TRIGGER: [&str; 4] = ["spec", "remediation", "triggerIf", "unhealthyLessThanOrEqualTo"];

fn to_v1(o: &Object) -> Result {
    if let Some(text) = o.str(SELECTOR)? {
        let selector = match Selector::parse(text) {
            Ok(selector) => selector,
            Err(part) => refuse!(".spec.selector must be a label selector, but {} is none", quoted(part)),
        };
        // What somebody wrote is kept as it was written, until the selector is changed.
        if selector.to_string() != text {
            o.stash_for(SELECTOR, &[&SELECTOR]);
        }
        o.set(SELECTOR, Raw("{}"));
        if let Some(v) = o.get(SELECTOR) {
            selector.write(v);
        }
    }
    to_seconds(**o, STARTUP, &STARTUP_SECONDS)?;
    for condition in o.elements(CONDITIONS) {
        to_seconds(condition, ["timeout"], &NODE_CONDITIONS)?;
        condition.rename("timeout", "timeoutSeconds");
    }
    o.move_to(STARTUP, STARTUP_SECONDS);
    o.move_to(CONDITIONS, NODE_CONDITIONS);
    o.move_to(MAX_UNHEALTHY, TRIGGER);
    Ok(())
}

fn to_beta(o: &Object) -> Result {
    o.restore();
    if let Some(selector) = o.get(SELECTOR) {
        o.set(SELECTOR, Selector::read(selector)?.to_string());
    }
    to_duration(**o, STARTUP_SECONDS)?;
    for condition in o.elements(NODE_CONDITIONS) {
        to_duration(condition, ["timeoutSeconds"])?;
        condition.rename("timeoutSeconds", "timeout");
    }
    o.move_to(STARTUP_SECONDS, STARTUP);
    o.move_to(NODE_CONDITIONS, CONDITIONS);
    o.move_to(TRIGGER, MAX_UNHEALTHY);
    delete_empty(o, ["spec", "checks"]);
    delete_empty(o, ["spec", "remediation", "triggerIf"]);
    delete_empty(o, ["spec", "remediation"]);
    Ok(())
}

/// Makes seconds of the duration at `path`, rounded up. What they cannot say, `1500ms` or that `90s` is not `1m30s`, is kept
/// until what is at `taken` in v1 is changed.
fn to_seconds<const N: usize>(v: Value, path: [&str; N], taken: &[&str]) -> Result {
    let Some(text) = v.str(path)? else { return Ok(()) };
    let Some(seconds) = duration::parse(text) else {
        refuse!("{} must be a duration such as \"1h30m\", but is {}", v.location(path), quoted(text));
    };
    if duration::format(seconds) != text {
        v.stash_for(path, &[taken]);
    }
    v.set(path, seconds);
    Ok(())
}

/// Makes a duration of the seconds at `path`.
fn to_duration<const N: usize>(v: Value, path: [&str; N]) -> Result {
    if let Some(seconds) = v.int(path)? {
        v.set(path, duration::format(seconds));
    }
    Ok(())
}

/// Deletes the object at `path` if nothing is left in it.
fn delete_empty<const N: usize>(o: &Object, path: [&str; N]) {
    if o.raw(path) == Some("{}") {
        o.remove(path);
    }
}

#[test]
fn golden_cases() {
    crosswalk::testing::run(&MODULE, "../../../bin/vectors/healthcheck.json");
}
