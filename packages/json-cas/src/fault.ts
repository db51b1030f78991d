import {
  type SchemaProblem,
  schemaProblemMessage,
  suggest,
  type Violation,
  violationMessage,
} from "@uncaged/json-schema";
import type { Hash } from "./node.js";

/** Everything a store can refuse or find damaged. */
export type CasFault =
  | {
      readonly code: "NODE_DAMAGED";
      readonly hash: string;
      readonly file: string | null;
      readonly reason: string;
    }
  /** A pack of nodes, or its index, cannot be read: which nodes it has is unknown. */
  | { readonly code: "PACK_DAMAGED"; readonly file: string; readonly reason: string }
  | { readonly code: "HASH_COLLISION"; readonly hash: string }
  | { readonly code: "UNKNOWN_TYPE"; readonly type: string }
  | { readonly code: "INVALID_PAYLOAD"; readonly type: string; readonly violations: readonly Violation[] }
  | { readonly code: "NOT_STORABLE"; readonly path: string; readonly reason: string }
  | { readonly code: "INVALID_SCHEMA"; readonly problems: readonly SchemaProblem[] }
  | { readonly code: "MALFORMED_HASH"; readonly value: string }
  | { readonly code: "AMBIGUOUS_PREFIX"; readonly prefix: string; readonly candidates: readonly string[] }
  | { readonly code: "NODE_MISSING"; readonly hash: Hash | string; readonly referrer: string | null }
  | {
      readonly code: "UNSUPPORTED_FORMAT";
      readonly file: string;
      readonly found: string;
      readonly supported: string;
    }
  | {
      readonly code: "IO_FAILED";
      readonly operation: string;
      readonly path: string;
      readonly errno: string;
      readonly reason: string;
    }
  | { readonly code: "LOCK_BUSY"; readonly lock: string; readonly holder: string; readonly waitedMs: number };

/** The fault as one sentence, with the values it is about. */
export function faultMessage(fault: CasFault): string {
  switch (fault.code) {
    case "NODE_DAMAGED":
      return `node ${fault.hash} is damaged: ${fault.reason}${fault.file === null ? "" : ` (${fault.file})`}`;
    case "PACK_DAMAGED":
      return `${fault.file} is damaged: ${fault.reason}`;
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

/** What the store's functions throw for an expected failure; `fault` is the data, `message` its sentence. */
export class CasError extends Error {
  readonly fault: CasFault;
  constructor(fault: CasFault) {
    super(faultMessage(fault));
    this.name = "CasError";
    this.fault = fault;
  }
}

/**
 * What `parseArgs` of node:util says of a wrong command line, as a clause without its advice, with the option that may have
 * been meant: `unknown option '--jsn', did you mean "--json"?` `options`: the names that there are, without dashes.
 */
export function lineProblem(error: unknown, options: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  // The name of an option stays as it was written.
  const reason = message
    .replace(/\.\s(?:To specify|Did you|This command).*$/s, "")
    .replace(/^[UO](?=[a-z])/, (first) => first.toLowerCase());
  const [, unknown] = /^unknown option '--([^'=]+)/.exec(reason) ?? [];
  const meant = unknown === undefined ? null : suggest(unknown, options);
  return meant === null ? reason : `${reason}, did you mean "--${meant}"?`;
}
