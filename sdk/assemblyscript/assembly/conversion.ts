import { Document } from "./document";

/** The conversion that is going on. */
class Conversion {
  /** The apiVersions. */
  from: string = "";
  to: string = "";
  private document: usize = 0;

  start(from: string, to: string, d: Document): void {
    this.from = from;
    this.to = to;
    this.document = changetype<usize>(d);
  }

  /** Whether the document is the object's that is being converted. */
  owns(d: Document): bool {
    return changetype<usize>(d) == this.document;
  }
}

export const conversion = new Conversion();
