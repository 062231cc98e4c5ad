import { Document } from "./document";
import { Resource } from "./object";

/** The conversion that is going on. */
class Conversion {
  /** The apiVersions. */
  from: string = "";
  to: string = "";
  /** Called when the converter has returned, before the apiVersion is set; null again for the next object. */
  atEnd: ((o: Resource) => void) | null = null;
  private document: usize = 0;

  start(from: string, to: string, d: Document): void {
    this.from = from;
    this.to = to;
    this.atEnd = null;
    this.document = changetype<usize>(d);
  }

  /** Whether the document is the object's that is being converted. */
  owns(d: Document): bool {
    return changetype<usize>(d) == this.document;
  }
}

export const conversion = new Conversion();
