import type { CasFault, SchemaProblem, Violation } from "./types.js";

/** `/steps/0: expected string, got 42 (type)` */
export function violationMessage(violation: Violation): string {
  const at = violation.path === "" ? "the value" : violation.path;
  return `${at}: expected ${violation.expected}, got ${violation.got} (${violation.keyword})`;
}

export function schemaProblemMessage(problem: SchemaProblem): string {
  const at = problem.path === "" ? "the schema" : problem.path;
  const hint = problem.suggestion === null ? "" : `, did you mean "${problem.suggestion}"?`;
  return `${at}: ${problem.message}${hint}`;
}

/** The fault as one sentence, with the values it is about. */
export function faultMessage(fault: CasFault): string {
  switch (fault.code) {
    case "NODE_DAMAGED":
      return `node ${fault.hash} is damaged: ${fault.reason}${fault.file === null ? "" : ` (${fault.file})`}`;
    case "HASH_COLLISION":
      return `two different contents have the hash ${fault.hash}; the second one was not stored`;
    case "UNKNOWN_TYPE":
      return `type ${fault.type} is not a schema in this store`;
    case "INVALID_PAYLOAD":
      return `the payload violates its schema ${fault.type}: ${fault.violations.map(violationMessage).join("; ")}`;
    case "NOT_STORABLE":
      return `${fault.path === "" ? "the value" : fault.path} cannot be stored: ${fault.reason}`;
    case "INVALID_SCHEMA":
      return `not a valid JSON Schema: ${fault.problems.map(schemaProblemMessage).join("; ")}`;
    case "MALFORMED_HASH":
      return `"${fault.value}" is not a hash`;
    case "AMBIGUOUS_PREFIX":
      return `"${fault.prefix}" fits ${fault.candidates.length} ids: ${shownIds(fault.candidates)}`;
    case "NODE_MISSING":
      return `node ${fault.hash} does not exist${fault.referrer === null ? "" : ` (referred to by ${fault.referrer})`}`;
    case "UNSUPPORTED_FORMAT":
      return `${fault.file} says format ${fault.found}; this version reads ${fault.supported}`;
    case "IO_FAILED":
      return `cannot ${fault.operation} ${fault.path}: ${fault.reason} (${fault.errno})`;
    case "LOCK_BUSY":
      return `${fault.lock} is held by ${fault.holder}${fault.waitedMs === 0 ? "" : `, waited ${Math.round(fault.waitedMs / 1000)} s`}`;
  }
}

/** Ids that a sentence names; thousands of them would be no sentence. */
const MOST_SHOWN = 20;

/** The ids for a sentence, up to twenty of them by name. */
export function shownIds(ids: readonly string[]): string {
  const more = ids.length - MOST_SHOWN;
  return `${ids.slice(0, MOST_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
