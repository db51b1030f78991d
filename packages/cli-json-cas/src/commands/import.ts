import { statSync } from "node:fs";
import { join } from "node:path";
import { flag, option, optional, text } from "@uncaged/command-line";
import { CasError, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import {
  type CheckedExport,
  ExportFileError,
  importNodes,
  importRoot,
  isAllThere,
  openExport,
} from "@uncaged/json-cas-fs";
import { type Answer, defineCommand, FILE, type Mount, type Tools } from "../define.js";
import { CasInputError } from "../fault.js";
import { done, shownList } from "./nodes.js";

export const command = defineCommand(({ hasNames }: Mount) => ({
  path: "import",
  summary: "check an export completely, then store its nodes",
  arguments: { file: optional(FILE) },
  options: {
    ...(hasNames
      ? {
          restore: flag("restore this storage root's own threads, so that keys and parents find them again"),
        }
      : {}),
    fromRoot: option(
      text("dir", { faults: ["FILE_NOT_FOUND"] }),
      "import the nodes of this store instead, even of another json-cas version",
    ),
  },
  examples: [
    "import backup.pack",
    ...(hasNames ? ["import backup.pack --restore"] : []),
    "import --from-root ~/old-store",
  ],
  notes:
    "An incomplete or damaged file is refused (exit 4), and nothing is written.\nFrom another store every node is imported whose bytes match its hash; the others are listed (exit 7).",
  exits: ["LOCK_BUSY"],
  sample: {
    line: "import thread.cas",
    prints: `0 nodes of 32 in thread.cas are new
thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB: unchanged`,
  },
  check: ({ file, fromRoot, restore = false }) => {
    if ((file === null) === (fromRoot === null))
      return "give one of them, an export file or --from-root <dir>";
    return restore && file === null ? "--restore is for an export file" : null;
  },
  run: (tools, { file, fromRoot, restore = false }) =>
    fromRoot === null ? importFile(tools, file ?? "", restore) : importFromRoot(tools, fromRoot),
}));

/** Imports the nodes of another store, of any program, and reports those whose hash does not match. */
async function importFromRoot({ dir, now, warn }: Tools, from: string): Promise<Answer> {
  const folder = storeIn(from);
  const problems = shownList<JsonObject>();
  const { writtenBy, ...figures } = await importRoot(dir, folder, now, (hash, message) => {
    warn(`node ${hash}: ${message}`);
    problems.add({ hash, message });
  });
  if (writtenBy !== null)
    warn(
      `${folder} was written by ${writtenBy}: its nodes can be read now (get, walk, refs, list), but its threads do not go on, and its workflows have to be registered again from their files`,
    );
  if (figures.taken > 0) warn("no root reaches these nodes yet, so `gc --yes` would remove them");
  const lists = { problems: problems.list, problemsOmitted: problems.omitted() };
  const document = { from: folder, writtenBy, ...figures, ...lists };
  return { document, exitCode: figures.taken === figures.nodes ? 0 : 7 };
}

/** The folder of nodes: itself, or `cas` in a storage root. */
function storeIn(path: string): string {
  const inside = join(path, "cas");
  if (isFolder(inside)) return inside;
  if (isFolder(path)) return path;
  throw new CasInputError({ code: "FILE_NOT_FOUND", path, reason: "it is not a folder" });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** How often nodes that a gc removes in the meantime are put back before they have a root. */
const ATTEMPTS = 3;

async function importFile(tools: Tools, file: string, restore: boolean): Promise<Answer> {
  let checked: CheckedExport | null = null;
  try {
    checked = openExport(file);
    return await take(tools, file, checked, restore);
  } catch (error) {
    throw inputError(file, error);
  } finally {
    checked?.close();
  }
}

async function take(tools: Tools, file: string, checked: CheckedExport, restore: boolean): Promise<Answer> {
  const { nodes, roots, entries } = checked;
  const hooks = await tools.loadHooks?.();
  if (hooks !== undefined) hooks.checkEntries(entries, checked.get);
  else if (entries.length > 0) tools.warn(`${entries.length} entries of another program were left out`);
  const { added } = await importNodes(tools.dir, checked, tools.now);
  const taken = hooks === undefined ? [] : await hooks.takeEntries(entries, restore);
  await restoreTaken(tools, checked);
  const document: Record<string, JsonValue> = { file, nodes, added, existed: nodes - added, roots };
  return done(hooks === undefined ? document : { ...document, entries: taken });
}

/** From the entries on the nodes have a root; a gc that was at it before may have taken some of them. */
async function restoreTaken(tools: Tools, checked: CheckedExport): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (isAllThere(tools.dir, checked)) return;
    await importNodes(tools.dir, checked, tools.now);
  }
}

const NO_SUCH_FILE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

function inputError(file: string, error: unknown): unknown {
  if (error instanceof ExportFileError) {
    return new CasInputError({ code: "INVALID_INPUT", what: file, reason: error.reason });
  }
  if (error instanceof CasError && error.fault.code === "IO_FAILED" && error.fault.path === file) {
    const { errno, reason } = error.fault;
    if (NO_SUCH_FILE.has(errno)) return new CasInputError({ code: "FILE_NOT_FOUND", path: file, reason });
  }
  return error;
}
