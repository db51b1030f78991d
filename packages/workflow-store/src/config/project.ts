import { statSync } from "node:fs";
import { type Fault, LIMITS, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { findLocalConfig, parseYamlDocument } from "../documents/index.js";
import { readUserText } from "../files.js";
import { below, createFindings, type Position } from "../shape.js";
import type { Storage } from "../storage.js";
import { readWorkFolder } from "../thread-records.js";
import { invalidConfig, type ProjectSettings, readProjectConfig } from "./shape.js";

// `.workflows/config.yaml` of the project in which a thread's agents work. The author of the project wrote
// it, not the user: it may only choose among what the user's own config.yaml defines, and only where that
// says nothing.

export type ProjectConfig = ProjectSettings & {
  readonly file: string;
  /** Where what these keys lead to is in the file. */
  readonly at: (...keys: readonly string[]) => Position;
};

/**
 * The settings of the project around a folder; `null`: it has none. Faults as for `loadConfig`, and unknown keys too.
 */
export async function loadProjectConfig(folder: string): Promise<Result<ProjectConfig | null, Fault>> {
  const found = findLocalConfig(folder);
  if (!found.ok || found.value === null) return found.ok ? ok(null) : found;
  const file = found.value;
  const text = readUserText(file, LIMITS.config);
  if (!text.ok) return text;
  const yaml = await parseYamlDocument(text.value, file, LIMITS.config);
  if (!yaml.ok) return invalidConfig(file, yaml.error);
  const { value, locate } = yaml.value;
  const findings = createFindings(locate);
  const config = readProjectConfig(findings, value);
  // In the user's own file a key without effect is only a warning.
  const problems = findings.all().map((problem) => ({ ...problem, severity: "error" as const }));
  if (problems.length > 0) return invalidConfig(file, problems);
  return ok({ ...config, file, at: (...keys) => locate(keys.reduce<string>(below, "")) });
}

/** The same of the folder where a thread's agents work, wherever its step is called. */
export async function loadThreadProject(
  storage: Storage,
  thread: ThreadId,
): Promise<Result<ProjectConfig | null, Fault>> {
  const folder = readWorkFolder(storage, thread);
  if (!folder.ok) return folder;
  return folder.value === null ? ok(null) : loadProjectConfig(folder.value);
}

/** Changes whenever these settings do; "" where there are none. */
export function projectStamp(storage: Storage, thread: ThreadId): string {
  const folder = readWorkFolder(storage, thread);
  const file = folder.ok && folder.value !== null ? findLocalConfig(folder.value) : ok(null);
  const found = file.ok && file.value !== null ? statSync(file.value, { throwIfNoEntry: false }) : undefined;
  return found === undefined ? "" : ` ${found.ino} ${Math.round(found.mtimeMs)} ${found.size}`;
}
