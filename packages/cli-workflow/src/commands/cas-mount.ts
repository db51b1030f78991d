import {
  COMMANDS as CAS_COMMANDS,
  type CasHooks,
  CasInputError,
  type Mount,
  type NodeReader,
  type Tools,
} from "@uncaged/cli-json-cas";
import { HASH_LENGTH, type JsonObject, type JsonValue, parseHash, resolveHash } from "@uncaged/json-cas";
import { type Fault, messageOf, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  admitThreads,
  asThreadEntry,
  attempt,
  brokenInThreads,
  createRootReader,
  descendantsOf,
  findThread,
  LATEST,
  listThreads,
  oldestLiveRun,
  placeOfRoot,
  readFamily,
  type Storage,
  sweepRootLitter,
  type ThreadEntry,
  type ThreadState,
  threadEntry,
  withIndexLock,
} from "@uncaged/workflow-store";
import { isThreadIdPart, parseThreadId } from "@uncaged/workflow-util";
import type { CommandContext, UwfCommand } from "../line/index.js";
import { text } from "./output.js";

// The commands of the json-cas store, on the store of this storage root: `uwf cas`. Copying threads between storage roots is
// among the commands of threads too, where people look for it.

const CAS: Mount = { group: "cas", prefix: "uwf cas", hasNames: true };

const THREAD: Mount = { group: "thread", prefix: "uwf thread", hasNames: true };

/** They only read nodes, which those of the original uwf are too. */
const READING: ReadonlySet<string> = new Set(["get", "has", "refs", "walk", "list", "verify"]);

/** What a name of ours may lead to. */
const NAME_FAULTS = ["THREAD_NOT_FOUND", "NO_LATEST_THREAD"] as const;

/** By path: `cas get`, `thread export`. */
export const MOUNTED: Readonly<Record<string, () => Promise<UwfCommand>>> = {
  ...Object.fromEntries(Object.keys(CAS_COMMANDS).map((verb) => [`cas ${verb}`, () => mount(verb, CAS)])),
  "thread export": () => mount("export", THREAD),
  "thread import": () => mount("import", THREAD),
};

/** Its failures are thrown. */
async function mount(verb: string, at: Mount): Promise<UwfCommand> {
  const load = CAS_COMMANDS[verb];
  if (load === undefined) throw new Error(`json-cas has no command ${verb}`);
  const command = (await load())(at);
  const isReading = READING.has(verb);
  return {
    ...command,
    exits: [
      ...command.exits,
      ...(isReading ? [] : (["OLDER_ROOT"] as const)),
      ...(verb === "export" ? NAME_FAULTS : []),
    ],
    run: async (context, request) => {
      const open = isReading ? context.openAnyStorage : context.openStorage;
      const { document, exitCode } = await command.run(createTools(context, orThrow(open()), at), request);
      if (document === null) return text("");
      // What a person sees in the place of a document.
      const human = context.screen === null ? null : (await import("./cas-words.js")).humanOf(verb, document);
      return ok({ kind: "verdict", value: document, human, exitCode });
    },
  };
}

/** Only gc, export, import, du and verify --repair ask what uwf knows beyond the store. */
function createTools(context: CommandContext, storage: Storage, { prefix }: Mount): Tools {
  const { warn, host } = context;
  return {
    dir: storage.paths.cas,
    store: storage.cas,
    warn,
    readStdin: host.readStdin,
    write: host.writeBytes,
    now: host.now,
    prefix,
    loadHooks: async () => createHooks(storage, context),
  };
}

/** A failure of uwf's own, on its way through the group to the program. */
export class StorageFault extends Error {
  readonly fault: Fault;
  constructor(failure: Fault) {
    super(messageOf(failure));
    this.name = "StorageFault";
    this.fault = failure;
  }
}

/** The group throws where uwf returns. */
function orThrow<T>(result: Result<T, Fault>): T {
  if (!result.ok) throw new StorageFault(result.error);
  return result.value;
}

/** What `uwf cas` knows beyond the nodes: threads, names, runs and logs. */
function createHooks(
  storage: Storage,
  { warn, tell, host }: Pick<CommandContext, "warn" | "tell" | "host">,
): CasHooks {
  const readRoots = createRootReader(storage);
  return {
    roots: async (tell) => orThrow(await readRoots(tell)),
    placeOfRoot: (root) => placeOfRoot(storage, root),
    hold: async (work) => orThrow(await withIndexLock(storage, async () => ok(await work()))),
    busySince: async () => orThrow(oldestLiveRun(storage)),
    places: async () =>
      orThrow(await brokenInThreads(storage, Infinity)).broken.map(
        ({ thread, step, role, field, hash, referrer }) => {
          const words = `thread ${thread}, step ${step} (${role}), field ${field}`;
          return { hash, referrer, fields: { thread, step, role, field }, words };
        },
      ),
    sweepLitter: async () => orThrow(await sweepRootLitter(storage)),
    named: (text) => named(storage, text, { cwd: host.cwd, tell }),
    checkEntries: (entries, get) => {
      threadsIn(entries, get);
    },
    takeEntries: (entries, restore) => takeAll(storage, threadsIn(entries, storage.cas.get), restore, warn),
    owners: async () => {
      const threads = orThrow(await listThreads(storage, { all: true }));
      return {
        name: "threads",
        list: threads.map(({ thread, head }) => ({ fields: { thread }, root: head })),
      };
    },
  };
}

/** A thread's id, its beginning or its end, or `latest`: that thread, and those that it has started. The hash of a node that is there means the node. */
async function named(
  storage: Storage,
  text: string,
  { cwd, tell }: { readonly cwd: string; readonly tell: (sentence: string) => void },
) {
  const hash = parseHash(text);
  if (hash !== null && storage.cas.has(hash)) return [];
  if (text !== LATEST && !isThreadIdPart(text) && !parseThreadId(text).ok) return [];
  const state = await findThread(storage, text, cwd);
  if (text !== LATEST && !isBeginning(text, state) && !isEnd(storage, text, state)) return [];
  const own = threadEntry(orThrow(state), null);
  const entries = [own, ...(await entriesBelow(storage, own.thread))];
  if (own.ended === null)
    tell(
      `thread ${own.thread} is active and goes on here; once the export is imported, two threads go on: \`uwf thread kill ${own.thread}\` ends one, here or there`,
    );
  return entries.map(({ thread, head, ended, parent }) => ({
    root: head,
    id: thread,
    entry: { thread, head, ended, ...(parent === null ? {} : { parent }) },
  }));
}

async function entriesBelow(storage: Storage, thread: ThreadId): Promise<readonly ThreadEntry[]> {
  const family = orThrow(readFamily(storage));
  const entries: ThreadEntry[] = [];
  for (const child of descendantsOf(family, thread)) {
    const state = await findThread(storage, child);
    // Its start was cut short.
    if (!state.ok && state.error.code === "THREAD_NOT_FOUND") continue;
    entries.push(threadEntry(orThrow(state), family.parentOf(child)));
  }
  return entries;
}

/** Whether a thread's id starts like this, or that is unknown. */
function isBeginning(text: string, state: Result<ThreadState, Fault>): boolean {
  const isThis = (id: string): boolean => id.startsWith(text.toUpperCase());
  if (state.ok) return isThis(state.value.thread);
  const { error } = state;
  return "candidates" in error ? error.candidates.some(isThis) : !NO_THREAD.has(error.code);
}

/** A text as short as a hash means the node, if there is one; a longer one can only mean a thread. */
function isEnd({ cas }: Storage, text: string, state: Result<ThreadState, Fault>): boolean {
  if (text.length > HASH_LENGTH) return true;
  if (!state.ok && NO_THREAD.has(state.error.code)) return false;
  const node = attempt(() => resolveHash(cas, text));
  return !node.ok && NO_NODE.has(node.error.code);
}

const NO_NODE: ReadonlySet<string> = new Set(["NODE_MISSING", "MALFORMED_HASH"]);

const NO_THREAD: ReadonlySet<string> = new Set(["THREAD_NOT_FOUND", "MALFORMED_THREAD_ID"]);

function threadsIn(entries: readonly JsonObject[], get: NodeReader): readonly ThreadEntry[] {
  const threads = entries.map((entry) => asThreadEntry(entry, get));
  const seen = new Set<string>();
  return threads.map((found) => {
    if (!found.ok) throw refused(found.error);
    if (seen.has(found.value.thread)) throw refused(`thread ${found.value.thread} appears twice`);
    seen.add(found.value.thread);
    return found.value;
  });
}

function refused(reason: string): CasInputError {
  return new CasInputError({ code: "INVALID_INPUT", what: "the export", reason });
}

async function takeAll(
  storage: Storage,
  threads: readonly ThreadEntry[],
  restore: boolean,
  warn: (sentence: string) => void,
): Promise<readonly JsonValue[]> {
  const taken: JsonValue[] = [];
  const scope = {
    restore,
    threads: new Set(threads.map(({ thread }) => thread)),
    added: new Set<ThreadId>(),
  };
  const active = new Set(threads.filter(({ ended }) => ended === null).map(({ thread }) => thread));
  for (const one of orThrow(await admitThreads(storage, threads, scope))) {
    const { thread, imported, outcome } = one;
    if (outcome === "collides")
      warn(
        `thread ${thread} is not taken: it was removed here, or a thread that was started here has the same end of its id, as those of one key have. \`uwf thread fork ${imported}\` continues from there under an id of its own; \`--restore\` takes it if it is this storage root's own`,
      );
    if (outcome === "behind")
      warn(
        `thread ${thread} stays where it is, behind the export: \`uwf thread fork ${imported}\` continues from there`,
      );
    if (outcome === "added" && active.has(thread))
      warn(
        `thread ${thread} has no folder here: its first step sets it, to the current folder or to --cwd <folder>`,
      );
    taken.push(one);
  }
  return taken;
}
