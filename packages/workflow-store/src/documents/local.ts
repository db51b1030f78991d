import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { err, type Fault, fault, isWorkflowName, ok, type Result } from "@uncaged/workflow-protocol";
import { nameOfFile } from "./workflow-shape.js";

const LOCAL_FOLDER = ".workflows";

/** A folder named `.workflows`, and the folder that it and its files must not lead out of. */
type LocalFolder = { readonly folder: string; readonly home: string };

/**
 * The `.workflows` folders that count in `cwd`, nearest first: its own and those of its parents, up to the root of the
 * repository. Outside a repository a parent's folder counts only if it belongs to the same user as `cwd`: otherwise
 * anybody could plant one in /tmp. Every step asks this: where there is none, it costs one look per level and no more.
 */
function localFolders(cwd: string): readonly LocalFolder[] {
  const parents = ancestors(resolve(cwd));
  const having = parents.filter((folder) => isFolder(join(folder, LOCAL_FOLDER)));
  if (having.length === 0) return [];
  const root = parents.findIndex((folder) => existsSync(join(folder, ".git")));
  const owner = ownerOf(resolve(cwd));
  const counts = (folder: string): boolean =>
    root === -1
      ? owner !== null && ownerOf(join(folder, LOCAL_FOLDER)) === owner
      : parents.indexOf(folder) <= root;
  return having
    .filter(counts)
    .map((folder) => ({ folder: join(folder, LOCAL_FOLDER), home: parents[root] ?? folder }))
    .filter(({ folder, home }) => leadsInto(home, folder));
}

/**
 * The folders of the project that `cwd` is in, nearest first: up to the root of the repository, else up to the farthest
 * `.workflows` that counts. Without either, `cwd` alone.
 */
export function projectFolders(cwd: string): readonly string[] {
  const parents = ancestors(resolve(cwd));
  const root = parents.findIndex((folder) => existsSync(join(folder, ".git")));
  const farthest = localFolders(cwd).at(-1);
  const last = root !== -1 || farthest === undefined ? root : parents.indexOf(dirname(farthest.folder));
  return parents.slice(0, Math.max(1, last + 1));
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
  return readStat(path)?.isDirectory() === true;
}

function ownerOf(path: string): number | null {
  return readStat(path)?.uid ?? null;
}

function readStat(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** The project's settings, which are no workflow. */
const CONFIG = "config";

/** Where a workflow of this name may be in `.workflows`; the first existing file is used. */
function filesOf(name: string): readonly string[] {
  const files = [`${name}.yaml`, `${name}.yml`];
  return name === CONFIG ? [join(name, "index.yaml")] : [...files, join(name, "index.yaml")];
}

type LocalWorkflow = {
  /** The file's name without `.yaml`; the name in the file may differ. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
};

/**
 * The project's own workflow of this name: the nearest `.workflows` that has it, or `null`. An invalid name never
 * becomes a path. A symbolic link that leads out of the folder is refused, so that a cloned repository cannot show
 * other files in its error messages.
 */
export function findLocalWorkflow(cwd: string, name: string): Result<LocalWorkflow | null, Fault> {
  if (!isWorkflowName(name)) return ok(null);
  const file = findLocalFile(cwd, filesOf(name));
  if (!file.ok) return file;
  return ok(file.value === null ? null : { name, file: file.value });
}

/** The settings of the project around a folder: `config.yaml` of the nearest `.workflows` that has one, or `null`. */
export function findLocalConfig(cwd: string): Result<string | null, Fault> {
  return findLocalFile(cwd, [`${CONFIG}.yaml`, `${CONFIG}.yml`]);
}

/** The first of these files in the nearest `.workflows` that has one of them. */
function findLocalFile(cwd: string, names: readonly string[]): Result<string | null, Fault> {
  for (const { folder } of localFolders(cwd)) {
    for (const file of names.map((name) => join(folder, name))) {
      if (!exists(file)) continue;
      return leadsInto(folder, file) ? ok(file) : refused(file);
    }
  }
  return ok(null);
}

/**
 * When a local workflow, or a folder or link that leads to it, was last changed, moved or put in its place, epoch ms: nobody
 * can set this time back, as they can that of the content.
 */
export function changedAt(file: string): number {
  const times = [lstatSync(file).ctimeMs, statSync(file).ctimeMs];
  for (let at = file; basename(at) !== LOCAL_FOLDER && dirname(at) !== at; ) {
    at = dirname(at);
    times.push(lstatSync(at).ctimeMs, statSync(at).ctimeMs);
  }
  return Math.max(...times);
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
  return readEntries(folder)
    .map((entry) => (/\.ya?ml$/.test(entry.name) ? nameOfFile(entry.name) : entry.name))
    .filter((name) => name !== null)
    .filter(isWorkflowName);
}

/** A folder that cannot be read has nothing to list; asking for one of its workflows reports why. */
function readEntries(folder: string): readonly Dirent[] {
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
  return err(fault("INVALID_INPUT", { what: file, reason, hint: "put the file itself in its place" }));
}
