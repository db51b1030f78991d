import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { err, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import type { Host } from "../../io/index.js";

export type PromptSource = { readonly prompt: string | null; readonly promptFile: string | null };

/** The thread's task from `-p`, stdin (`-p -`) or a file: valid UTF-8, not empty, no NUL, at most 4 MiB. */
export function readPrompt(host: Host, source: PromptSource): Result<string, Fault> {
  if (source.prompt !== null && source.promptFile !== null)
    return usage("give --prompt or --prompt-file, not both");
  if (source.promptFile !== null) return fromFile(resolve(host.cwd, source.promptFile));
  if (source.prompt === null) return usage("the task is missing: give -p <prompt> or --prompt-file <path>");
  return source.prompt === "-"
    ? decode(host.readStdin(), "the prompt on stdin")
    : check(source.prompt, "the prompt");
}

function usage(reason: string): Result<never, Fault> {
  return err(fault("USAGE", { reason, usage: "see `uwf help thread start`" }));
}

function fromFile(path: string): Result<string, Fault> {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return err(fault("FILE_NOT_FOUND", { path, reason: "it does not exist" }));
    if (stat.isDirectory()) return err(fault("FILE_NOT_FOUND", { path, reason: "it is a folder" }));
    if (stat.size > LIMITS.prompt) return tooLarge(path, stat.size);
    return decode(readFileSync(path), path);
  } catch (error) {
    return err(fault("FILE_NOT_FOUND", { path, reason: (error as Error).message }));
  }
}

function decode(bytes: Uint8Array, what: string): Result<string, Fault> {
  if (bytes.length > LIMITS.prompt) return tooLarge(what, bytes.length);
  try {
    return check(new TextDecoder("utf-8", { fatal: true }).decode(bytes), what);
  } catch {
    return err(fault("INVALID_INPUT", { what, reason: "it is not valid UTF-8" }));
  }
}

function check(text: string, what: string): Result<string, Fault> {
  if (text.trim() === "") return err(fault("INVALID_INPUT", { what, reason: "it is empty" }));
  if (text.includes("\0"))
    return err(fault("INVALID_INPUT", { what, reason: "it contains a NUL character" }));
  if (/[\uD800-\uDFFF]/u.test(text))
    return err(fault("INVALID_INPUT", { what, reason: "it is not valid Unicode" }));
  return ok(text);
}

function tooLarge(what: string, size: number): Result<never, Fault> {
  return err(fault("TOO_LARGE", { what, size, limit: LIMITS.prompt }));
}
