import { resolve } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { refusalOf } from "./refusal.js";

/** What `--cwd` says, from where it was typed; `null` where it was not. */
export function givenFolder(cwd: string, text: string | null): Result<string | null, Fault> {
  if (text === null) return ok(null);
  const folder = resolve(cwd, text);
  const reason = text === "" ? "it is empty" : refusalOf(folder);
  return reason === null ? ok(folder) : err(fault("INVALID_INPUT", { what: "--cwd", reason }));
}
