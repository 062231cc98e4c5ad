import { quoted } from "./build";
import { conversion } from "./conversion";

/** The fields of one version. */
class Declaration {
  constructor(public apiVersion: string, public paths: string[]) {}
}

const declarations: Declaration[] = [];

/**
 * Declares the fields that the module reads and writes of objects in an apiVersion ("group/version"): the gateway shows it these only, those
 * of the version it converts from and of the one it converts to, and lets it change these only. Called where the module begins, once for each
 * version; one of which nothing is read or written needs an empty list. docs/spec/abi.md has the rules of paths: spec.size, spec.disks[].name,
 * spec.limits.*.cpu, metadata.annotations['example.com/kept']. A list whose elements the module adds, removes or sorts is declared as a whole;
 * isFragment and the defaults need metadata.uid, and the stash its annotation, metadata.annotations['conversion.<group>/stash'].
 */
export function declareFields(apiVersion: string, paths: string[]): void {
  for (let i = 0; i < declarations.length; i++) {
    if (declarations[i].apiVersion == apiVersion) throw new Error("the fields of " + apiVersion + " are declared twice");
  }
  declarations.push(new Declaration(apiVersion, paths));
}

/** The member "fields" of the module's description; "" if none are declared. */
export function described(): string {
  if (!declarations.length) return "";
  let json = ',"fields":{';
  for (let i = 0; i < declarations.length; i++) {
    const d = declarations[i];
    json += (i ? "," : "") + quoted(d.apiVersion.substring(d.apiVersion.lastIndexOf("/") + 1)) + ":[";
    for (let j = 0; j < d.paths.length; j++) json += (j ? "," : "") + quoted(d.paths[j]);
    json += "]";
  }
  return json + "}";
}

/** Whether the path is declared for the conversion that is going on, as it is written here, or everything is shown. */
export function shown(path: string): bool {
  for (let i = 0; i < declarations.length; i++) {
    const d = declarations[i];
    if ((d.apiVersion == conversion.from || d.apiVersion == conversion.to) && d.paths.includes(path)) return true;
  }
  return declarations.length == 0;
}
