//! Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each
//! of its fields.

use crosswalk::{quoted, refuse, Object, Result};

const V1: &str = "stable.example.com/v1";
const V2: &str = "stable.example.com/v2";

/// The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
const PARTIAL: &str = "conversion.stable.example.com/partial-schedule";

/// The members of a v2 spec that make up the schedule, in the order of cron.
const FIELDS: [&str; 5] = ["min", "hour", "dayOfMonth", "month", "dayOfWeek"];

crosswalk::module! {
    name: "crontab",
    version: "1.0.0",
    licence: "Apache-2.0",
    conversions: [
        v1_to_v2: V1 => V2,
        v2_to_v1: V2 => V1,
    ],
    fields: [ // the rest of an object passes by
        V1 => ["spec.cronSpec", "metadata.annotations['conversion.stable.example.com/partial-schedule']"],
        V2 => ["spec.min", "spec.hour", "spec.dayOfMonth", "spec.month", "spec.dayOfWeek"],
    ],
}

fn v1_to_v2(o: &Object) -> Result {
    let kept = o.annotation(PARTIAL);
    if let Some(schedule) = o.str(["spec", "cronSpec"])? {
        let count = words(schedule).count();
        if count != FIELDS.len() {
            refuse!(".spec.cronSpec must have five fields separated by spaces, but {} has {count}", quoted(schedule));
        }
        for (field, word) in FIELDS.iter().zip(words(schedule)) {
            o.set(["spec", field], word);
        }
    } else if let Some(kept) = kept {
        restore(o, kept)?;
    }
    if kept.is_some() {
        o.remove_annotation(PARTIAL);
    }
    o.remove(["spec", "cronSpec"]);
    Ok(())
}

fn v2_to_v1(o: &Object) -> Result {
    let (mut schedule, mut kept) = (Vec::new(), Vec::new());
    for field in FIELDS {
        let Some(part) = o.str(["spec", field])? else { continue };
        if part.is_empty() || part.contains(is_space) {
            refuse!(".spec.{field} must be one field of a cron schedule, without spaces, but is {}", quoted(part));
        }
        schedule.push(part);
        kept.push([field, part].join("="));
    }
    match schedule.len() {
        0 => drop(o.remove_annotation(PARTIAL)),
        5 => {
            o.set(["spec", "cronSpec"], schedule.join(" "));
            o.remove_annotation(PARTIAL);
        }
        _ => o.set_annotation(PARTIAL, &kept.join(" ")),
    }
    for field in FIELDS {
        o.remove(["spec", field]);
    }
    Ok(())
}

/// Puts back what v2_to_v1 kept in the annotation.
fn restore(o: &Object, kept: &str) -> Result {
    for part in words(kept) {
        match part.split_once('=') {
            Some((field, value)) if !value.is_empty() && FIELDS.contains(&field) => o.set(["spec", field], value),
            _ => {
                let at = o.location(["metadata", "annotations", PARTIAL]);
                refuse!("{at} must be like \"min=0 hour=3\", but is {}", quoted(kept));
            }
        }
    }
    Ok(())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

fn is_space(c: char) -> bool {
    c == ' ' || ('\t'..='\r').contains(&c)
}

#[test]
fn golden_cases() {
    crosswalk::testing::run(&MODULE, "../../../bin/vectors/crontab.json");
}
