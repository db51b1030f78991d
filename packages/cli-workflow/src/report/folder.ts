import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@uncaged/json-cas";
import { isLink, writeFileHere } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import type { ThreadSummary, WorkflowSummary } from "@uncaged/workflow-report";
import {
  attempt,
  readNode,
  readRegistry,
  readRegistryHistory,
  readSeal,
  type Storage,
} from "@uncaged/workflow-store";
import { ioFailed } from "@uncaged/workflow-util";

// index.html           workflows and threads
// threads/<id>.html    a report each
// workflows/<name>.html
// uwf-report.json      what was known of each thread when its page was made, and all pages
//
// An untrusted folder may have such a record too. It counts only under the seal of this root: pages that stand in no such
// record are neither removed nor taken for made.

const RECORD = "uwf-report.json";
const PAGES = ["threads", "workflows"] as const;

/** What a page was made of, so that the page of an ended thread need not be made again. */
export type MadePage = { readonly stamp: string; readonly summary: ThreadSummary };

/** A folder of pages. What is the same as before is not written again. */
export type PageFolder = {
  /** The page that was made of the same; `null`: there is none. */
  readonly made: (thread: ThreadId, stamp: string) => MadePage | null;
  /** `threads/01KAJ5E8ZJ4N7XK3M9T2V6W8YB.html` and its text. */
  readonly write: (file: string, text: string) => Result<null, Fault>;
  /** Says that a page stays as it is. */
  readonly keep: (file: string) => void;
  /** Writes down what was made, and removes pages of what is gone. */
  readonly finish: (made: ReadonlyMap<ThreadId, MadePage>) => Result<FolderCounts, Fault>;
};

type FolderCounts = {
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
};

/** Refuses a folder with other things in it, unless `force`: a page could replace a file of the user. */
export function openPageFolder(storage: Storage, folder: string, force: boolean): Result<PageFolder, Fault> {
  const refused = (reason: string, hint: string): Result<never, Fault> =>
    err(fault("INVALID_INPUT", { what: folder, reason, hint }));
  try {
    const there = statSync(folder, { throwIfNoEntry: false });
    if (there?.isDirectory() === false)
      return refused(
        "it is a file, and pages need a folder",
        "name a folder; one thread's report is `uwf thread report <thread>`",
      );
    const isForeign =
      there !== undefined && readdirSync(folder).length > 0 && !existsSync(join(folder, RECORD));
    if (isForeign && !force)
      return refused(
        "it is a folder with other files in it; --force writes into it all the same",
        "name an empty folder, a new one, or one that `uwf report` has made",
      );
    const link = PAGES.find((pages) => isLink(join(folder, pages)));
    if (link !== undefined)
      return refused(`its ${link} is a link, and pages are written into no other folder`, `remove ${link}`);
    for (const pages of PAGES) mkdirSync(join(folder, pages), { recursive: true });
  } catch (error) {
    const { operation, path, errno, reason } = ioFailed("write", folder, error);
    return err(fault("IO_FAILED", { operation, path, errno, reason }));
  }
  const before = attempt(() => readText(join(folder, RECORD)));
  if (!before.ok) return before;
  // The record of another folder says nothing of this one.
  const seal = (text: string): string | null => readSeal(storage, `${folder}\n${text}`);
  return ok(pageFolder(folder, recordIn(before.value ?? "", seal), seal));
}

type Seal = (text: string) => string | null;

function pageFolder(folder: string, before: Readonly<Record<string, unknown>>, seal: Seal): PageFolder {
  const present = new Set<string>();
  let [written, unchanged] = [0, 0];
  const write: PageFolder["write"] = (file, text) =>
    attempt(() => {
      present.add(file);
      const path = join(folder, file);
      if (readText(path) === text) {
        unchanged += 1;
        return null;
      }
      writeFileHere(path, text);
      written += 1;
      return null;
    });
  return {
    made: (thread, stamp) => {
      const known = before[thread];
      const isSame = isObject(known) && known.stamp === stamp && existsSync(join(folder, pageOf(thread)));
      return isSame ? (known as MadePage) : null;
    },
    write,
    keep: (file) => {
      present.add(file);
      unchanged += 1;
    },
    finish: (made) => {
      const counts = { written, unchanged };
      const record = { ...Object.fromEntries(made), pages: [...present].sort() };
      const recorded = write(
        RECORD,
        `${JSON.stringify({ ...record, seal: seal(JSON.stringify(record)) }, null, 1)}\n`,
      );
      if (!recorded.ok) return recorded;
      return attempt(() => ({ ...counts, removed: removeOthers(folder, present, before.pages) }));
    },
  };
}

/** Removes only pages that an earlier report has made: other files are not ours. */
function removeOthers(folder: string, present: ReadonlySet<string>, made: unknown): number {
  const known = new Set(Array.isArray(made) ? made : []);
  const gone = PAGES.flatMap((pages) =>
    readdirSync(join(folder, pages)).map((file) => `${pages}/${file}`),
  ).filter((file) => file.endsWith(".html") && known.has(file) && !present.has(file));
  for (const file of gone) rmSync(join(folder, file));
  return gone.length;
}

export function pageOf(thread: ThreadId): string {
  return `threads/${thread}.html`;
}

/** `null` unless it is a regular file: reading a pipe could block, and links are not followed. */
function readText(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : null;
}

/** Whatever cannot be read, or was not written by this root, is made again. */
function recordIn(text: string, seal: Seal): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return {};
    const { seal: given, ...record } = value;
    return typeof given === "string" && given === seal(JSON.stringify(record)) ? record : {};
  } catch {
    return {};
  }
}

/** An exception while a thread's page is made is a fault of that thread: the other pages are still made. */
export async function ofOneThread<T>(
  thread: ThreadId,
  make: () => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  try {
    return await make();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(fault("BUG", { reason: `thread ${thread} cannot be shown: ${reason}` }));
  }
}

/** The registered workflows by name, with their versions. */
export async function workflowSummaries(
  storage: Storage,
): Promise<Result<readonly WorkflowSummary[], Fault>> {
  const registry = await readRegistry(storage);
  if (!registry.ok) return registry;
  const history = readRegistryHistory(storage);
  if (!history.ok) return history;
  const names = Object.keys(registry.value).sort();
  return ok(
    names.flatMap((name) => {
      const now = registry.value[name];
      if (now === undefined) return [];
      const lines = history.value.filter((line) => line.name === name).reverse();
      const known = lines.flatMap(({ hash, at }) =>
        hash === null ? [] : [{ hash, at, current: hash === now }],
      );
      // A name given by an earlier version of uwf has no recorded history.
      const versions = known.length === 0 ? [{ hash: now, at: null, current: true }] : known;
      const workflow = readNode(storage.cas, "workflow", now);
      return [{ name, versions, source: workflow.ok ? workflow.value.payload : null }];
    }),
  );
}
