import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { LOCAL_FOLDER, type LocalFolder, leadsInto, localFolders } from "./folders.js";
import { isWorkflowName, nameOfFile } from "./names.js";
import type { LocalWorkflow } from "./types.js";

/** Where a workflow of this name may stand in `.workflows`; the first one that exists is taken. */
function filesOf(name: string): readonly string[] {
  return [`${name}.yaml`, `${name}.yml`, join(name, "index.yaml")];
}

/**
 * The project's own workflow of this name: the nearest `.workflows` that has it, or `null`. A name that is none never
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

/** A folder that cannot be read has nothing to list; asking for one of its workflows tells why. */
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
