import { Text } from "./text";
import { Value } from "./value";

/**
 * The Kubernetes object that a converter converts. It has apiVersion, kind, metadata (without
 * managedFields and resourceVersion) and the fields of its version. Any of them may be absent,
 * because server-side apply converts fragments. Of the metadata, only changes to labels and
 * annotations reach the API server.
 */
@unmanaged
export class Resource extends Value {
  get apiVersion(): Text { return this.text("apiVersion"); }
  get kind(): Text { return this.text("kind"); }

  label(name: string): Text { return this.get("metadata").get("labels").text(name); }
  setLabel(name: string, value: string): void { this.make("metadata").make("labels").setString(name, value); }
  /** Removes the label, and metadata.labels with the last label. */
  removeLabel(name: string): bool { return removeFrom(this, "labels", name); }

  annotation(name: string): Text { return this.get("metadata").get("annotations").text(name); }
  /** Sets an annotation. Annotations can keep fields that the other version lacks; see also stash. */
  setAnnotation(name: string, value: string): void { this.make("metadata").make("annotations").setString(name, value); }
  /** Removes the annotation, and the annotations as a whole when it was the last. */
  removeAnnotation(name: string): bool { return removeFrom(this, "annotations", name); }
}

function removeFrom(o: Resource, field: string, name: string): bool {
  const metadata = o.get("metadata"), values = metadata.get(field);
  if (!values.remove(name)) return false;
  if (!values.firstChild.isThere) metadata.remove(field);
  return true;
}
