// Converts Environment.platform.example.com between v1alpha1, which has maps, and v1, which has lists with keys, as Kubernetes' own resources do.
import {
  declareFields, defaultString, describe, listFromMap, mapFromList, Pairs, register, Resource, restore, stashFor, Text, translate, translateBack,
  Type, Value,
} from "../../../sdk/assemblyscript/assembly";
export * from "../../../sdk/assemblyscript/assembly/abi";

const policies: Pairs = [["keep", "Retain"], ["delete", "Delete"]];

// What is read and written, which has the same names in both versions; metadata.uid tells fragments,
// and the stash keeps the order of lists.
const fields = ["spec.variables", "spec.volumes", "status.conditions", "metadata.uid", "metadata.annotations['conversion.platform.example.com/stash']"];

describe("environment", "1.0.0", "Apache-2.0");
declareFields("platform.example.com/v1alpha1", fields);
declareFields("platform.example.com/v1", fields);
register("platform.example.com/v1alpha1", "platform.example.com/v1", toV1);
register("platform.example.com/v1", "platform.example.com/v1alpha1", toAlpha);

function toV1(o: Resource): void {
  restore(o);
  const spec = o.map("spec"), status = o.map("status");
  listFromMap(spec, "variables", "name", "value"); // {"REGION":"eu-1"} becomes [{"name":"REGION","value":"eu-1"}]
  for (let variable = spec.list("variables").firstChild; variable.isThere; variable = variable.nextChild) {
    if (!variable.has("value")) variable.remove("value");
  }
  listFromMap(spec, "volumes", "name"); // {"data":{"size":"1Gi"}} becomes [{"name":"data","size":"1Gi"}]
  for (let volume = spec.list("volumes").firstChild; volume.isThere; volume = volume.nextChild) {
    translate(volume, "onDelete", policies);
  }
  listFromMap(status, "conditions", "type");
  for (let condition = status.list("conditions").firstChild; condition.isThere; condition = condition.nextChild) {
    statusFromBool(condition);
  }
}

function toAlpha(o: Resource): void {
  const spec = o.map("spec"), status = o.map("status");
  keepOrder(spec, "variables", "name", ["spec", "variables"]);
  for (let variable = spec.list("variables").firstChild; variable.isThere; variable = variable.nextChild) {
    if (!variable.has("value")) variable.setRaw("value", Text.of("null")); // a fragment may have the name alone
  }
  mapFromList(spec, "variables", "name", "value");
  keepOrder(spec, "volumes", "name", ["spec", "volumes"]);
  for (let volume = spec.list("volumes").firstChild; volume.isThere; volume = volume.nextChild) {
    translateBack(volume, "onDelete", policies);
  }
  mapFromList(spec, "volumes", "name");
  keepOrder(status, "conditions", "type", ["status", "conditions"]);
  for (let condition = status.list("conditions").firstChild; condition.isThere; condition = condition.nextChild) {
    boolFromStatus(condition);
  }
  mapFromList(status, "conditions", "type");
}

/** Stashes a list that becomes a map, and leaves it, if its names are not sorted: an API server sorts the members of a map. */
function keepOrder(v: Value, key: string, name: string, map: string[]): void {
  const list = v.get(key);
  if (list.type != Type.Array) return;
  let last = Text.of("");
  for (let e = list.firstChild; e.isThere; e = e.nextChild) {
    if (e.type != Type.Object || e.get(name).type != Type.String) return; // the list does not become a map
    const text = e.text(name);
    if (memory.compare(text.at, last.at, min(text.size, last.size)) < 0 || text.size < last.size && memory.compare(text.at, last.at, text.size) == 0) {
      const raw = list.raw();
      stashFor(v, key, [map]);
      v.setRaw(key, raw);
      return;
    }
    last = text;
  }
}

/** v1alpha1 says true, false, or nothing; a condition of v1 has a status in any case. */
function statusFromBool(condition: Value): void {
  if (condition.has("status")) condition.setString("status", condition.bool("status") ? "True" : "False");
  else defaultString(condition, "status", "Unknown"); // not in a fragment
}

function boolFromStatus(condition: Value): void {
  const status = condition.string("status");
  if (status == "True" || status == "False") condition.setBool("status", status == "True");
  else if (status == "Unknown") condition.remove("status");
  else if (status.length) condition.refuse(`${condition.location("status")} must be True, False or Unknown, but is ${condition.text("status").quoted}`);
}
