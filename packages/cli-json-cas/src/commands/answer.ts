import type { JsonValue } from "@uncaged/json-cas";
import type { Answer } from "./types.js";

export function done(document: JsonValue): Answer {
  return { document, exitCode: 0 };
}
