import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import {
  type AgentContext,
  err,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
  referenceField,
} from "@uncaged/workflow-agent-kit";
import { ENV } from "@uncaged/workflow-util";
import type { Artifact } from "./words.js";

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

/** The fields in the command's file; a removed file means none. Only a regular file is read. The error is a clause about it. */
export function readOutput({ output }: Files): Result<string, string> {
  try {
    const fd = openSync(output, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) return err("is no longer a regular file");
      if (stat.size > OUTPUT_BYTES) return err(`has ${stat.size} bytes, the limit is ${OUTPUT_BYTES}`);
      return ok(readFileSync(fd, "utf8"));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT") return ok("");
    return err(`cannot be read (${code})`);
  }
}

/** The segments of a pattern; `null` if it leads out of the folder. */
function segmentsOf(pattern: string): readonly string[] | null {
  const segments = pattern.split("/").filter((segment) => segment !== ".");
  const isInside = segments.every((segment) => segment !== "" && segment !== "..");
  return isInside && segments.length > 0 ? segments : null;
}

/** Whether a pattern is of the form that `filesMatching` takes: relative, without `..`. */
export function isPattern(pattern: string): boolean {
  return segmentsOf(pattern) !== null;
}

/**
 * The regular files that a pattern of `*`, `?` and `**` matches, relative to the folder and sorted. No link is followed;
 * a name with a leading dot matches only a pattern with one. Throws system errors, except for folders that are missing.
 */
export function filesMatching(folder: string, pattern: string): readonly string[] {
  return [...new Set(expand(folder, "", segmentsOf(pattern) ?? []))].sort();
}

function expand(folder: string, at: string, segments: readonly string[]): readonly string[] {
  const [first = "", ...rest] = segments;
  const entries = readEntries(join(folder, at));
  if (first === "**") {
    const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
    return [
      ...expand(folder, at, rest.length === 0 ? ["*"] : rest),
      ...below.flatMap(({ name }) => expand(folder, join(at, name), segments)),
    ];
  }
  const form = formOf(first);
  const named = entries.filter(({ name }) => form.test(name));
  if (rest.length === 0) return named.filter((entry) => entry.isFile()).map(({ name }) => join(at, name));
  return named
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => expand(folder, join(at, name), rest));
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

function formOf(segment: string): RegExp {
  const source = segment
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/\*+/g, "[^/]*")
    .replaceAll("?", "[^/]");
  return new RegExp(`^${segment.startsWith(".") ? "" : "(?!\\.)"}${source}$`, "s");
}

/** Why the role's meta cannot take an artifact; `null` if it can take all. */
export function undeclared(schema: JsonValue, artifacts: readonly Artifact[]): string | null {
  const missing = artifacts.find(({ field }) => referenceField(schema, field) === null);
  if (missing === undefined) return null;
  return `--artifact ${missing.field}: the role has no such field with \`format: cas_ref\``;
}

/**
 * The fields of `--artifact` with the paths of the files; the kit stores these. A list takes every match, any other field
 * the only one. A command that failed may have made none: then the field is left out. The error is a sentence.
 */
export function artifactsIn(
  folder: string,
  artifacts: readonly Artifact[],
  schema: JsonValue,
  failed: boolean,
): Result<JsonObject, string> {
  const fields: Record<string, JsonValue> = {};
  for (const { field, glob } of artifacts) {
    const found = filesMatching(folder, glob).map((path) => `./${path}`);
    const [only] = found;
    if (only === undefined) {
      if (failed) continue;
      return err(`no file matches ${glob}, which --artifact ${field} asks for`);
    }
    const isList = referenceField(schema, field) === "list";
    if (!isList && found.length > 1) {
      const names = `${found.slice(0, 5).join(", ")}${found.length > 5 ? ", …" : ""}`;
      return err(`${found.length} files match ${glob}, and ${field} takes one: ${names}`);
    }
    fields[field] = isList ? found : only;
  }
  return ok(fields);
}
