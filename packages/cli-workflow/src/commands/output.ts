import { ok, type Result } from "@uncaged/workflow-protocol";
import type { CommandOutput } from "./types.js";

/** A document, JSON unless something else is asked for. */
export function document(value: unknown): Result<CommandOutput, never> {
  return ok({ kind: "document", value, defaultFormat: "json" });
}

export function text(content: string): Result<CommandOutput, never> {
  return ok({ kind: "text", text: content });
}
