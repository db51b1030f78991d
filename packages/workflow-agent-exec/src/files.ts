import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { AgentContext } from "@uncaged/workflow-agent-kit";
import { ENV } from "@uncaged/workflow-util";

/** Name the files for the command. */

/** The limit of the fields; they are not meant for output. */
const OUTPUT_BYTES = 1024 * 1024;

/** The files that the command reads and writes, in a private folder that `remove` deletes. */
export type Files = {
  /**
   * The thread's outputs so far, as conditions see them:
   * `{thread, role, start: {workflow, prompt}, steps: [{role, output, detail, agent}]}`, oldest step first. `null`: the
   * command does not ask for them.
   */
  readonly steps: string | null;
  /** Empty at first. */
  readonly output: string;
  readonly remove: () => void;
};

/** Bytes of a script that is searched. */
const SCRIPT_BYTES = 1024 * 1024;

/**
 * Whether a command asks for the thread's outputs: a word of it names their variable, or a file that a word names does. To
 * read and write them at every step would take a second at 10,000 steps. `cwd` is where the command runs.
 */
export function asksForSteps(command: readonly string[], cwd: string): boolean {
  return command.some((word) => word.includes(ENV.stepsFile) || isMentionedIn(resolve(cwd, word)));
}

function isMentionedIn(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > SCRIPT_BYTES) return false;
    return readFileSync(path).includes(ENV.stepsFile);
  } catch {
    // Not a path, or closed to us: then the command cannot read it either.
    return false;
  }
}

/** Throws the system's errors. */
export function makeFiles(context: AgentContext, temporary: string, withSteps: boolean): Files {
  const { threadId: thread, role, start } = context;
  const folder = mkdtempSync(join(temporary, "uwf-exec-"));
  const files = {
    steps: withSteps ? join(folder, "steps.json") : null,
    output: join(folder, "output.yaml"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    if (files.steps !== null) {
      const content = `${JSON.stringify({ thread, role, start, steps: context.steps }, null, 2)}\n`;
      writeFileSync(files.steps, content, { mode: 0o600 });
    }
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
