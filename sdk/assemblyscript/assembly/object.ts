import { Text } from "./text";
import { Value } from "./value";

/**
 * One Kubernetes object that is being converted. It has apiVersion, kind, metadata (without managedFields and resourceVersion) and
 * whatever else the version has; any of it may be absent, as server-side apply converts fragments. Of the metadata, changes to
 * labels and annotations alone reach the API server.
 */
@unmanaged
export class Resource extends Value {
  get apiVersion(): Text { return this.text("apiVersion"); }
  get kind(): Text { return this.text("kind"); }

  label(name: string): Text { return this.get("metadata").get("labels").text(name); }
  setLabel(name: string, value: string): void { this.make("metadata").make("labels").setString(name, value); }
  /** Removes the label, and the labels as a whole when it was the last. */
  removeLabel(name: string): bool { return removeFrom(this, "labels", name); }

  annotation(name: string): Text { return this.get("metadata").get("annotations").text(name); }
  /** Sets an annotation: the place for what the other version has no field for. */
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
