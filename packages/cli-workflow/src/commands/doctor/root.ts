import { existsSync } from "node:fs";
import { join } from "node:path";
import { undecidedWords, withThreadViews } from "@uncaged/workflow-engine";
import {
  type CasRef,
  ENV,
  exitCodeOf,
  type Fault,
  messageOf,
  type Result,
  shellWord,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  checkTrust,
  inspectRoot,
  type ListedThread,
  listThreads,
  type RootLook,
  readHistory,
  readRegistry,
  type Storage,
  storeWriter,
  TYPE,
  tryWriting,
  unwritablePaths,
} from "@uncaged/workflow-store";
import { counted } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import { bounded, type Found, failing, faulty, fine, warning } from "./findings.js";
import { fileSystemKind } from "./machine.js";

/** Heads are checked one by one; complete histories are left to `uwf cas verify`. */
const MAX_HEADS = 1000;

/** The files that uwf keeps: each is there and readable, and points to nodes that exist. */
export async function checkFiles(storage: Storage): Promise<readonly Found[]> {
  return [...(await threads(storage)), history(storage), ...(await registry(storage)), ...leftovers(storage)];
}

/** Guesses at the next agent, and compiled code: earlier versions believed what stood there, this one reads neither. */
const LEFTOVERS = ["forecast.json", "cache/code"];

function leftovers({ root }: Storage): readonly Found[] {
  return LEFTOVERS.filter((name) => existsSync(join(root, name))).map((name) => {
    const path = join(root, name);
    const sentence = `${path} is from an earlier uwf and is no longer read`;
    return warning(name, sentence, `remove it: \`rm -r ${shellWord(path)}\``);
  });
}

async function threads(storage: Storage): Promise<readonly Found[]> {
  const active = await listThreads(storage, { all: false });
  // The list also reads what has ended, which has its own finding.
  const { history: ended, removed } = storage.paths;
  if (!active.ok) {
    const isAboutEnded = [ended, removed].some(
      (file) => "file" in active.error && active.error.file === file,
    );
    return isAboutEnded ? [] : [faulty("threads.yaml", active.error)];
  }
  const lost = active.value
    .slice(0, MAX_HEADS)
    .flatMap(({ thread, head }) =>
      missing(storage, head, "threads.yaml", `the head of thread ${thread}, ${head}`),
    );
  const fineOne = fine("threads.yaml", `${counted(active.value.length, "active thread")}`);
  return [...bounded([fineOne, ...lost]), ...bounded(await stuckOnes(storage, active.value))];
}

/** No step takes them further; their own work is not lost. */
function stuckOnes(storage: Storage, threads: readonly ListedThread[]): Promise<readonly Found[]> {
  return withThreadViews(storage, async (views) => {
    const found: Found[] = [];
    for (const state of threads.slice(0, MAX_HEADS)) {
      const { stuck } = await views.of(state);
      if (stuck === null) continue;
      const fix = `${stuck.hint}; then end this one: \`uwf thread kill ${state.thread}\``;
      found.push(warning("threads.yaml", `thread ${state.thread} is stuck: ${stuck.message}`, fix));
    }
    const left = undecidedWords(views.undecided());
    return left === null ? found : [undecided(left), ...found];
  });
}

function undecided(words: string): Found {
  return warning("threads.yaml", words, "kill the imported threads that are not needed");
}

function history(storage: Storage): Found {
  const ended = readHistory(storage);
  if (!ended.ok) return faulty("history.jsonl", ended.error);
  return fine("history.jsonl", counted(ended.value.ended.size, "ended thread"));
}

async function registry(storage: Storage): Promise<readonly Found[]> {
  const names = await readRegistry(storage);
  if (!names.ok) return [faulty("registry.yaml", names.error)];
  const entries = Object.entries(names.value);
  const lost = entries.flatMap(([name, hash]) =>
    missing(storage, hash, "registry.yaml", `the workflow ${name}, ${hash}`),
  );
  return bounded([fine("registry.yaml", counted(entries.length, "registered workflow")), ...lost]);
}

function missing(storage: Storage, hash: CasRef, check: string, what: string): readonly Found[] {
  const there: Result<boolean, Fault> = attempt(() => storage.cas.has(hash));
  if (there.ok && there.value) return [];
  const reason = there.ok ? "is not in the store" : `cannot be checked: ${messageOf(there.error)}`;
  const fix = "restore the nodes from a backup or an export; `uwf cas verify` lists what is missing";
  return [failing(check, `${what}, ${reason}`, fix, 7)];
}

const MIB = 1024 * 1024;

/** One reply may take 16 MiB and a node 32. */
const FULL_BYTES = 64 * MIB;

const LOW_BYTES = 1024 * MIB;

/** A clock of the file system may lag by its own tick, and a slow disk by more. */
const SKEW_MS = 2_000;

const GROUP_MAY_WRITE = 0o020;

/** The storage root: where it comes from, and whether it can hold what is written. */
export function checkRoot(host: Host, opened: Result<Storage, Fault>): readonly Found[] {
  if (!opened.ok) return [faulty("root", opened.error)];
  const { root } = opened.value;
  const look = inspectRoot(root);
  if (!look.ok) return [faulty("root", look.error)];
  const { exists, folder } = look.value;
  const from = `${root}, from ${sourceOf(host)}`;
  const state = exists ? from : `${from}; it does not exist yet and will be created in ${folder}`;
  return [
    fine("root", `the storage root is ${state}`),
    ...(exists ? [...writable(host, root), ...othersFiles(opened.value)] : []),
    ...(exists ? trust(host, opened.value) : []),
    ...permissions(look.value),
    disk(look.value),
    fileSystem(look.value),
    ...(exists ? [format(opened.value)] : []),
  ];
}

function sourceOf({ env }: Host): string {
  if (env[ENV.storageRoot]) return ENV.storageRoot;
  return env[ENV.storageRootShort] ? ENV.storageRootShort : "HOME";
}

function writable(host: Host, root: string): readonly Found[] {
  const before = host.now();
  const written = tryWriting(root);
  if (!written.ok) {
    const fix = `make ${root} writable for this user (owner, mode, mount options, space)`;
    return [failing("writable", messageOf(written.error), fix, exitCodeOf(written.error))];
  }
  const done = fine("writable", "a temporary file could be created in it and removed again");
  const ahead = Math.round(written.value - before);
  if (ahead > -SKEW_MS && written.value < host.now() + SKEW_MS) return [done];
  const message = `the clock of its file system and this machine's differ by ${Math.abs(ahead)} ms`;
  return [done, warning("clock", message, "set both machines' clocks by NTP (`timedatectl status`)")];
}

/** Of another user, mostly: one `sudo uwf` makes them root's. */
function othersFiles(storage: Storage): readonly Found[] {
  const fix = `run \`sudo chown -R "$(id -u):$(id -g)" ${shellWord(storage.root)}\`, or \`chmod -R u+rwX ${shellWord(storage.root)}\` if it is already yours`;
  return bounded(
    unwritablePaths(storage, null).map(({ failure }) =>
      failing("writable", messageOf(failure), fix, exitCodeOf(failure)),
    ),
  );
}

/** What a step would refuse it for. */
function trust(host: Host, storage: Storage): readonly Found[] {
  const trusted = checkTrust(storage, host.env);
  return trusted.ok ? [] : [faulty("trust", trusted.error)];
}

function permissions({ exists, folder, mode }: RootLook): readonly Found[] {
  if (!exists || (mode & GROUP_MAY_WRITE) === 0) return [];
  const message = `your group can write to ${folder}: its members could choose the agents that you run`;
  return [warning("permissions", message, `run \`chmod g-w ${shellWord(folder)}\``)];
}

function disk({ folder, freeBytes, freeFiles }: RootLook): Found {
  const fix = `free space on the file system of ${folder}; \`uwf cas gc\` removes what nothing refers to`;
  if (freeFiles === 0) return failing("disk", "no more files can be created: it is out of inodes", fix, 74);
  const message = `${Math.floor(freeBytes / MIB)} MiB are free`;
  if (freeBytes < FULL_BYTES) return failing("disk", message, fix, 74);
  return freeBytes < LOW_BYTES ? warning("disk", message, fix) : fine("disk", message);
}

function fileSystem({ folder, fileSystem: magic }: RootLook): Found {
  const { kind, name } = fileSystemKind(magic);
  if (kind === "unknown") return fine("filesystem", `the file system of ${folder} is unknown to uwf`);
  if (kind === "local") return fine("filesystem", `${folder} is on a local file system (${name})`);
  const message =
    kind === "memory"
      ? `${folder} is in memory (${name}): a reboot empties it`
      : `${folder} is on ${name}: locks and durability are promised for local file systems only`;
  return warning("filesystem", message, `move it to a local disk and set ${ENV.storageRoot}`);
}

/** Every access to the store checks its version first. */
function format(storage: Storage): Found {
  const { cas, paths } = storage;
  const looked = attempt(() => cas.has(TYPE.content));
  if (!looked.ok) return faulty("format", looked.error);
  const found = storeWriter(storage);
  if (!found.ok) return faulty("format", found.error);
  const origin = found.value;
  if (origin === null) return fine("format", "the store has the format of this uwf");
  const message = `the store was written by ${origin}: this uwf can read its nodes but not step its threads`;
  const fix = `keep it, and set ${ENV.storageRoot} to a new folder; there \`uwf cas import --from-root ${shellWord(paths.cas)}\` takes its nodes over`;
  return warning("format", message, fix);
}
