import { join } from "node:path";
import type { RunOptions } from "../../world/index.js";

const folder = import.meta.dirname;

/** `--agent` and its value: says what two files hold. */
export const SAY = ["--agent", `'${join(folder, "say.sh")}'`] as const;

/** `--agent` and its value: an author's agent whose reply stands in a file. */
export const AUTHOR = ["--agent", `'${join(folder, "author.mjs")}'`] as const;

export function saying(files: { readonly stdout?: string; readonly stderr?: string }, code = 0): RunOptions {
  const { stdout = "", stderr = "" } = files;
  return { env: { UWF_HOSTILE_STDOUT: stdout, UWF_HOSTILE_STDERR: stderr, UWF_HOSTILE_CODE: String(code) } };
}
