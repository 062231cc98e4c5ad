// A module that declares fields, and forgets some, for test.mjs.
import { declareFields, defaultInt, describe, register, Resource, restore, stash } from "../assembly";
export * from "../assembly/abi";

describe("declared");
const groups = ["bare", "full"];
for (let i = 0; i < groups.length; i++) {
  const g = groups[i];
  register(g + "/v1", g + "/v2", withDefault);
  register(g + "/v2", g + "/v1", withStash);
  register(g + "/v3", g + "/v1", withRestore);
}
declareFields("bare/v1", ["spec"]);
declareFields("bare/v2", ["metadata.name"]);
declareFields("bare/v3", ["metadata.annotations['x\"y']"]);
declareFields("full/v1", ["spec", "metadata.annotations['conversion.full/stash']"]);
declareFields("full/v2", ["metadata.uid"]);
declareFields("full/v3", []);

function withDefault(o: Resource): void { defaultInt(o.get("spec"), "size", 1); }
function withStash(o: Resource): void { stash(o.get("spec"), "size"); }
function withRestore(o: Resource): void { restore(o); }
