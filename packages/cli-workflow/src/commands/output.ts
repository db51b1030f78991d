import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { CommandOutput } from "./types.js";

/** A document, JSON unless something else is asked for. */
export function document(value: unknown): Result<CommandOutput, never> {
  return ok({ kind: "document", value });
}

/** A document on stdout and, where something is wrong, the fault on stderr. */
export function documentWith(value: unknown, wrong: Fault | null): Result<CommandOutput, never> {
  return wrong === null ? document(value) : ok({ kind: "failure", value, fault: wrong });
}

export function text(content: string): Result<CommandOutput, never> {
  return ok({ kind: "text", text: content });
}
