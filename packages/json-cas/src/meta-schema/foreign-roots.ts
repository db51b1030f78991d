import type { Hash } from "../node/index.js";

/**
 * The types of schemas in stores that an original json-cas has written, and which one. It changed its meta-schema
 * between releases, and the later one does not hash it as any other node; the schemas below are JSON Schemas all the
 * same, and every other node's hash holds.
 */
export const FOREIGN_ROOTS: ReadonlyMap<Hash, string> = new Map([
  ["B3NCX47GJCS7A" as Hash, "json-cas 0.4"],
  ["3RZYZ9X0Y34K7" as Hash, "json-cas 0.5"],
]);
