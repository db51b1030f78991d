import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { err, type Fault, fault, LIMITS, ok, type Problem, type Result } from "@uncaged/workflow-protocol";
import { isWorkflowName } from "../ids.js";
import { addWarning, createFindings, type Findings, hasErrors } from "../shape.js";
import { readUserText } from "../text-file.js";
import { parseYamlDocument } from "./parse.js";
import type { LocalWorkflow, WorkflowCheck, WorkflowFile } from "./types.js";
import { nameOfFile, readWorkflow } from "./workflow-shape.js";

const LOCAL_FOLDER = ".workflows";

/** A folder named `.workflows`, and the folder that it and its files must not lead out of. */
type LocalFolder = { readonly folder: string; readonly home: string };

/**
 * The `.workflows` folders that count in `cwd`, nearest first: its own and those of its parents, up to the root of the
 * repository. Outside a repository a parent's folder counts only if it belongs to the same user as `cwd`: otherwise
 * anybody could plant one in /tmp.
 */
function localFolders(cwd: string): readonly LocalFolder[] {
  const parents = ancestors(resolve(cwd));
  const root = parents.findIndex((folder) => existsSync(join(folder, ".git")));
  const owner = ownerOf(resolve(cwd));
  const candidates =
    root === -1
      ? parents.filter((folder) => owner !== null && ownerOf(join(folder, LOCAL_FOLDER)) === owner)
      : parents.slice(0, root + 1);
  return candidates
    .map((folder) => ({ folder: join(folder, LOCAL_FOLDER), home: parents[root] ?? folder }))
    .filter(({ folder, home }) => isFolder(folder) && leadsInto(home, folder));
}

/** Whether `path`, with all symbolic links followed, is inside `home`. */
function leadsInto(home: string, path: string): boolean {
  try {
    const way = relative(realpathSync(home), realpathSync(path));
    return way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
  } catch {
    return false;
  }
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function ownerOf(path: string): number | null {
  return statOf(path)?.uid ?? null;
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Where a workflow of this name may be in `.workflows`; the first existing file is used. */
function filesOf(name: string): readonly string[] {
  return [`${name}.yaml`, `${name}.yml`, join(name, "index.yaml")];
}

/**
 * The project's own workflow of this name: the nearest `.workflows` that has it, or `null`. An invalid name never
 * becomes a path. A symbolic link that leads out of the folder is refused, so that a cloned repository cannot show
 * other files in its error messages.
 */
export function findLocalWorkflow(cwd: string, name: string): Result<LocalWorkflow | null, Fault> {
  if (!isWorkflowName(name)) return ok(null);
  for (const place of localFolders(cwd)) {
    for (const file of filesOf(name).map((relative) => join(place.folder, relative))) {
      if (!exists(file)) continue;
      return leadsInto(place.folder, file) ? ok({ name, file }) : refused(file);
    }
  }
  return ok(null);
}

/** Every local workflow by name, sorted; of two with one name the nearest. What `findLocalWorkflow` refuses is left out. */
export function findLocalWorkflows(cwd: string): readonly LocalWorkflow[] {
  const names = new Set(localFolders(cwd).flatMap(namesIn));
  return [...names].sort().flatMap((name) => {
    const found = findLocalWorkflow(cwd, name);
    return found.ok && found.value !== null ? [found.value] : [];
  });
}

function namesIn({ folder }: LocalFolder): readonly string[] {
  return entriesOf(folder)
    .map((entry) => (/\.ya?ml$/.test(entry.name) ? nameOfFile(entry.name) : entry.name))
    .filter((name) => name !== null)
    .filter(isWorkflowName);
}

/** A folder that cannot be read has nothing to list; asking for one of its workflows reports why. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A link to nowhere exists too: it is refused, not passed over. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function refused(file: string): Result<never, Fault> {
  const reason = `it is a symbolic link that leads out of ${LOCAL_FOLDER} or nowhere`;
  return err(fault("INVALID_INPUT", { what: file, reason }));
}

/**
 * A workflow as people write it. `check` is asked about everything beyond the shape (the moderator's `checkWorkflow`);
 * its findings are reported together with the gate's, in the order of the text. Faults: FILE_NOT_FOUND, TOO_LARGE,
 * INVALID_INPUT (not UTF-8), INVALID_WORKFLOW with every error, IO_FAILED.
 */
export async function readWorkflowFile(
  path: string,
  check: WorkflowCheck = () => [],
): Promise<Result<WorkflowFile, Fault>> {
  const text = readUserText(path, LIMITS.workflowFile);
  return text.ok ? readWorkflowText(text.value, path, check) : text;
}

export async function readWorkflowText(
  text: string,
  file: string,
  check: WorkflowCheck,
): Promise<Result<WorkflowFile, Fault>> {
  const yaml = await parseYamlDocument(text, file, LIMITS.workflowFile);
  if (!yaml.ok) return invalid(file, yaml.error);
  const { value, locate } = yaml.value;
  const findings = createFindings(locate);
  const authored = readWorkflow(findings, value);
  // After a shape error the value contains replacements, about which a warning would be wrong.
  const sound = !hasErrors(findings.all());
  const refused = findings.all().map(({ path }) => path);
  for (const finding of authored === null ? [] : check(authored))
    if (sound || (finding.severity === "error" && !isBehind(refused, finding.path))) findings.add(finding);
  if (authored === null || hasErrors(findings.all())) return invalid(file, findings.all());
  warnAboutFileName(findings, file, authored.name);
  return ok({ file, text, authored, problems: findings.all(), locate });
}

/** A refused value was replaced; in a condition with a wrong key, the complete condition may be a replacement. */
function isBehind(refused: readonly string[], path: string): boolean {
  return refused.some((wrong) => wrong !== "" && (path === wrong || path.startsWith(`${wrong}/`)));
}

function warnAboutFileName(findings: Findings, file: string, name: string): void {
  if (!isWorkflowName(name) || nameOfFile(file) === name) return;
  addWarning(
    findings,
    "/name",
    `the workflow ${name} should be in ${name}.yaml or ${name}/index.yaml`,
    "file-name",
  );
}

function invalid(file: string, problems: readonly Problem[]): Result<never, Fault> {
  const errors = problems.filter((problem) => problem.severity === "error");
  return err(fault("INVALID_WORKFLOW", { file, problems: errors }));
}
