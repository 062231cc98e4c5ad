// Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each of its
// fields.
import { declareFields, describe, register } from "crosswalk-javascript";

// The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
const partial = "conversion.stable.example.com/partial-schedule";

// The members of a v2 spec that make up the schedule, in the order of cron.
const fields = ["min", "hour", "dayOfMonth", "month", "dayOfWeek"];

describe({ name: "crontab", version: "1.0.0", licence: "Apache-2.0" });
declareFields("stable.example.com/v1", ["spec.cronSpec", `metadata.annotations['${partial}']`]); // the rest of an object passes by
declareFields("stable.example.com/v2", fields.map((field) => "spec." + field));
register("stable.example.com/v1", "stable.example.com/v2", v1ToV2);
register("stable.example.com/v2", "stable.example.com/v1", v2ToV1);

function v1ToV2(o) {
  const kept = o.annotation(partial), spec = o.get("spec"), schedule = spec.string("cronSpec");
  if (schedule !== undefined) {
    const parts = words(schedule);
    if (parts.length !== fields.length) {
      o.refuse(`.spec.cronSpec must have five fields separated by spaces, but ${JSON.stringify(schedule)} has ${parts.length}`);
    }
    fields.forEach((field, i) => spec.set(field, parts[i]));
  } else if (kept !== undefined) {
    restore(o, kept);
  }
  if (kept !== undefined) o.removeAnnotation(partial);
  spec.remove("cronSpec");
}

// Puts back what v2ToV1 kept in the annotation.
function restore(o, kept) {
  for (const word of words(kept)) {
    const [, field, value] = /^(.*?)=(.+)$/.exec(word) ?? [];
    if (!fields.includes(field)) {
      const at = o.get("metadata").get("annotations").location(partial);
      o.refuse(`${at} must be like "min=0 hour=3", but is ${JSON.stringify(kept)}`);
    }
    o.make("spec").set(field, value);
  }
}

function v2ToV1(o) {
  const spec = o.get("spec"), parts = [], kept = [];
  for (const field of fields) {
    const part = spec.string(field);
    if (part === undefined) continue;
    if (words(part).length !== 1 || words(part)[0] !== part) {
      o.refuse(`.spec.${field} must be one field of a cron schedule, without spaces, but is ${JSON.stringify(part)}`);
    }
    parts.push(part);
    kept.push(`${field}=${part}`);
  }
  for (const field of fields) spec.remove(field);
  if (parts.length === fields.length) spec.set("cronSpec", parts.join(" "));
  if (parts.length > 0 && parts.length < fields.length) o.setAnnotation(partial, kept.join(" "));
  else o.removeAnnotation(partial);
}

function words(text) {
  return text.match(/[^ \t\n\r]+/g) ?? [];
}
