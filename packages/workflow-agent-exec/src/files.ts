import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { AgentContext } from "@uncaged/workflow-agent-kit";

/** Name the files for the command. */
export const STEPS_FILE = "UWF_STEPS_FILE";
export const OUTPUT_FILE = "UWF_OUTPUT";

/** The limit of the fields; they are not meant for output. */
const OUTPUT_BYTES = 1024 * 1024;

/** The files that the command reads and writes, in a private folder that `remove` deletes. */
export type Files = {
  /**
   * The thread's outputs so far, as conditions see them:
   * `{thread, role, start: {workflow, prompt}, steps: [{role, output, detail, agent}]}`, oldest step first.
   */
  readonly steps: string;
  /** Empty at first. */
  readonly output: string;
  readonly remove: () => void;
};

/** Throws the system's errors. */
export function makeFiles(context: AgentContext, temporary: string): Files {
  const { threadId: thread, role, start, steps } = context;
  const folder = mkdtempSync(join(temporary, "uwf-exec-"));
  const files = {
    steps: join(folder, "steps.json"),
    output: join(folder, "output.yaml"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    const told = `${JSON.stringify({ thread, role, start, steps }, null, 2)}\n`;
    writeFileSync(files.steps, told, { mode: 0o600 });
    writeFileSync(files.output, "", { mode: 0o600 });
    return files;
  } catch (error) {
    files.remove();
    throw error;
  }
}

export type OutputText =
  | { readonly ok: true; readonly text: string }
  /** A clause about the file. */
  | { readonly ok: false; readonly reason: string };

/** The fields in the command's file; a removed file means none. Only a regular file is read. */
export function readOutput({ output }: Files): OutputText {
  try {
    const fd = openSync(output, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) return { ok: false, reason: "is no longer a regular file" };
      if (stat.size > OUTPUT_BYTES)
        return { ok: false, reason: `has ${stat.size} bytes, the limit is ${OUTPUT_BYTES}` };
      return { ok: true, text: readFileSync(fd, "utf8") };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT") return { ok: true, text: "" };
    return { ok: false, reason: `cannot be read (${code})` };
  }
}
