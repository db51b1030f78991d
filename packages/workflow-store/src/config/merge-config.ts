import { type Fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { parseYamlDocument } from "../documents/index.js";
import { editsOf } from "./edits.js";
import { invalidConfig } from "./invalid.js";
import type { ConfigChanges } from "./types.js";

/**
 * The text of config.yaml with the changes in it: comments, unknown keys and everything else stay. A text that cannot
 * be read, or a section that is no map, is INVALID_CONFIG: nothing is thrown away to make room.
 */
export async function mergeConfig(
  text: string | null,
  changes: ConfigChanges,
  file: string,
): Promise<Result<string, Fault>> {
  const old = withoutByteOrderMark(text ?? "");
  const readable = await parseYamlDocument(old, file, LIMITS.config);
  if (!readable.ok) return invalidConfig(file, readable.error);
  // Lazily, as everything that needs yaml.
  const { editDocument } = await import("./edit-document.js");
  const merged = editDocument(old, editsOf(changes));
  if (merged.kind === "blocked") return notAMap(file, merged.at);
  return ok(old.includes("\r\n") ? merged.text.replaceAll("\n", "\r\n") : merged.text);
}

function notAMap(file: string, what: string): Result<never, Fault> {
  const message = `${what} must be a map`;
  const problem = {
    severity: "error",
    code: "invalid",
    line: null,
    column: null,
    path: "",
    message,
    suggestion: null,
  } as const;
  return invalidConfig(file, [problem]);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
