// Converts CronTab.stable.example.com between v1, which has the schedule as one string, and v2, which has a member for each of its
// fields.
import { declareFields, describe, register, Resource, Text, Texts } from "../../../sdk/assemblyscript/assembly";
export * from "../../../sdk/assemblyscript/assembly/abi";

// The annotation that keeps, in v1, the fields of a schedule that is not complete: "min=0 hour=3".
const partial = "conversion.stable.example.com/partial-schedule";

// The members of a v2 spec that make up the schedule, in the order of cron.
const fields = ["min", "hour", "dayOfMonth", "month", "dayOfWeek"];

describe("crontab", "1.0.0", "Apache-2.0");
declareFields("stable.example.com/v1", ["spec.cronSpec", `metadata.annotations['${partial}']`]);
declareFields("stable.example.com/v2", ["spec.min", "spec.hour", "spec.dayOfMonth", "spec.month", "spec.dayOfWeek"]);
register("stable.example.com/v1", "stable.example.com/v2", v1ToV2);
register("stable.example.com/v2", "stable.example.com/v1", v2ToV1);

function v1ToV2(o: Resource): void {
  const kept = o.annotation(partial), spec = o.get("spec"), schedule = spec.text("cronSpec");
  if (schedule.exists) {
    const words = schedule.words();
    if (words.length != fields.length) {
      return o.refuse(`.spec.cronSpec must have five fields separated by spaces, but ${schedule.quoted} has ${words.length}`);
    }
    for (let i = 0; i < fields.length; i++) spec.setText(fields[i], words[i]);
  } else if (kept.exists) {
    restore(o, kept);
  }
  if (kept.exists) o.removeAnnotation(partial);
  spec.remove("cronSpec");
}

// Puts back what v2ToV1 kept in the annotation.
function restore(o: Resource, kept: Text): void {
  const words = kept.words();
  for (let i = 0; i < words.length; i++) {
    const equals = words[i].indexOf("="), value = words[i].slice(equals + 1);
    const field = fields.indexOf(words[i].slice(0, equals).toString());
    if (field < 0 || value.length == 0) {
      const at = o.get("metadata").get("annotations").location(partial);
      return o.refuse(`${at} must be like "min=0 hour=3", but is ${kept.quoted}`);
    }
    o.make("spec").setText(fields[field], value);
  }
}

function v2ToV1(o: Resource): void {
  const spec = o.get("spec"), parts = Texts.make(), kept = Texts.make();
  for (let i = 0; i < fields.length; i++) {
    const part = spec.text(fields[i]);
    if (!part.exists) continue;
    const words = part.words();
    if (words.length != 1 || words[0].length != part.length) {
      return o.refuse(`.spec.${fields[i]} must be one field of a cron schedule, without spaces, but is ${part.quoted}`);
    }
    parts.push(part);
    kept.push(Text.of(`${fields[i]}=${part}`));
  }
  for (let i = 0; i < fields.length; i++) spec.remove(fields[i]);
  if (parts.length == fields.length) spec.setText("cronSpec", parts.join(" "));
  if (parts.length > 0 && parts.length < fields.length) o.setAnnotation(partial, kept.join(" ").toString());
  else o.removeAnnotation(partial);
}
