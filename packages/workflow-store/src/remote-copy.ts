import {
  CasError,
  type CasNode,
  decodeNode,
  encodeNode,
  type Hash,
  isHash,
  META_SCHEMA_HASH,
  refs,
  verify,
} from "@uncaged/json-cas";
import { createFsStore, makeDir } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  fault,
  type HistoryReason,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt, attemptAsync } from "./attempt.js";
import { addThreadUnderLock, advanceHead, readHead } from "./heads.js";
import { readHistory } from "./history.js";
import { withIndexLock } from "./locks.js";
import { readChainNode, TYPE } from "./nodes.js";
import { prepareRoot, type Storage } from "./storage.js";
import { isOnRemote, readWorkFolder } from "./thread-records.js";
import {
  appendChildren,
  claimThread,
  findThread,
  giveToRemote,
  isNews,
  markRemote,
  readFamily,
  releaseClaim,
  removeThreads,
} from "./threads/index.js";

/** A node on its way between two stores: `refs` has its type too, `bytes` are those of its file. */
type EncodedNode = {
  readonly hash: string;
  readonly type: string;
  readonly refs: readonly string[];
  readonly bytes: Uint8Array;
};

/**
 * Encodes all nodes that `from` reaches, itself included, except those that `known` reach. Checks each
 * against its hash.
 */
export function encodedNodes(
  { cas }: Storage,
  from: CasRef,
  known: readonly CasRef[],
): Result<readonly EncodedNode[], Fault> {
  return attempt(() => {
    const seen = new Set<Hash>(known);
    const found: EncodedNode[] = [];
    const open: Hash[] = seen.has(from) ? [] : [from];
    for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
      if (seen.has(hash)) continue;
      seen.add(hash);
      const node = cas.get(hash);
      if (node === null) throw new CasError({ code: "NODE_MISSING", hash, referrer: null });
      if (!verify(hash, node)) throw damaged(hash, "it does not match its hash");
      const below = [...new Set([node.type, ...refs(cas, node)])];
      found.push({ hash, type: node.type, refs: below, bytes: encodeNode(node) });
      for (const each of below) if (!seen.has(each)) open.push(each);
    }
    return found;
  });
}

function damaged(hash: Hash, reason: string): CasError {
  return new CasError({ code: "NODE_DAMAGED", hash, file: null, reason });
}

/**
 * Stores nodes that came from elsewhere, each after what it refers to, with the time of its first put. Checked as any put
 * is, and against its hash. Returns how many were new.
 */
export async function storeEncoded(
  storage: Storage,
  nodes: readonly EncodedNode[],
): Promise<Result<number, Fault>> {
  const prepared = prepareRoot(storage);
  if (!prepared.ok) return prepared;
  return attemptAsync(async () => {
    // An existing node counts as put now, a new one has the time that it came with.
    let time: number | null = null;
    const store = createFsStore(storage.paths.cas, { now: () => time ?? storage.now() });
    let added = 0;
    await store.together(async (cas) => {
      for (const { hash, node } of inOrder(nodes)) {
        time = cas.has(hash) ? null : node.timestamp;
        if (time !== null) added += 1;
        const put = await cas.put(node.type, node.payload);
        if (put !== hash) throw damaged(hash, `its content has the hash ${put}`);
      }
    });
    return added;
  });
}

type Decoded = { readonly hash: Hash; readonly node: CasNode };

/** Each after what it refers to. */
function* inOrder(nodes: readonly EncodedNode[]): Generator<Decoded> {
  const waiting = new Map(nodes.map((node) => [node.hash, node]));
  const open = nodes.map(({ hash }) => ({ hash, isReady: false }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const given = waiting.get(next.hash);
    if (given === undefined) continue;
    if (next.isReady) {
      waiting.delete(given.hash);
      yield decoded(given);
      continue;
    }
    open.push({ hash: given.hash, isReady: true });
    for (const ref of given.refs) {
      if (ref !== given.hash && waiting.has(ref)) open.push({ hash: ref, isReady: false });
    }
  }
}

function decoded({ hash, bytes }: EncodedNode): Decoded {
  if (!isHash(hash)) throw new CasError({ code: "MALFORMED_HASH", value: hash });
  try {
    return { hash, node: decodeNode(bytes) };
  } catch (error) {
    throw damaged(hash, error instanceof Error ? error.message : String(error));
  }
}

/** Types that this root already has, complete: the remote need not send them. */
export function knownTypes({ cas }: Storage): readonly CasRef[] {
  return cas.has(META_SCHEMA_HASH)
    ? [META_SCHEMA_HASH, ...Object.values(TYPE)].filter((type) => cas.has(type))
    : [];
}

/** The state of a thread here, once a remote has reported its head. */
export type PlacedThread = {
  /** Its head here. */
  readonly head: CasRef;
  /** How many steps it has here that the remote does not have: they are finished and have to be pushed. */
  readonly ahead: number;
  /** Why it has ended here; `null`: it is active. */
  readonly ended: HistoryReason | null;
  /** A head that it had here and that the remote's does not lead to; its steps were refused. `null`: none. */
  readonly withdrawn: CasRef | null;
};

type RemotePosition = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workFolder: string | null;
};

/**
 * Brings a thread to the remote's head, whose nodes are here, unless it is beyond it. A thread that took another way,
 * or ended otherwise, follows the remote. From then on it counts as the remote's, and only the holder of a
 * lease there steps it. `THREAD_BUSY` while a step of it runs here.
 */
export async function placeThread(
  storage: Storage,
  place: RemotePosition,
): Promise<Result<PlacedThread, Fault>> {
  const placed = await placeOnce(storage, place);
  // Its last step, whose worker was killed, may have ended it after it was looked for.
  return !placed.ok && placed.error.code === "THREAD_ENDED" ? placeOnce(storage, place) : placed;
}

async function placeOnce(
  storage: Storage,
  { thread, head, workFolder }: RemotePosition,
): Promise<Result<PlacedThread, Fault>> {
  const placed: PlacedThread = { head, ahead: 0, ended: null, withdrawn: null };
  const found = await findThread(storage, thread);
  if (!found.ok && found.error.code !== "THREAD_NOT_FOUND") return found;
  const here = found.ok ? found.value : null;
  if (here === null) {
    const added = await addOfRemote(storage, { thread, head, workFolder });
    return added.ok ? ok(placed) : added;
  }
  const kept = here.kind === "ended" ? ok(undefined) : await giveToRemote(storage, thread);
  if (!kept.ok) return kept;
  const ahead = stepsBetween(storage, head, here.head);
  if (!ahead.ok) return ahead;
  if (ahead.value !== null) {
    const ended = here.kind === "ended" ? here.reason : null;
    return ok({ head: here.head, ahead: ahead.value, ended, withdrawn: null });
  }
  const behind = stepsBetween(storage, here.head, head);
  if (!behind.ok) return behind;
  const withdrawn = behind.value === null ? here.head : null;
  const moved =
    here.kind === "ended"
      ? await putBack(storage, { thread, head, workFolder })
      : await follow(storage, { thread, from: here.head, to: head });
  return moved.ok ? ok({ ...placed, withdrawn }) : moved;
}

/** The mark comes before the head: a crash in between leaves no thread that could be stepped here. */
function addOfRemote(
  storage: Storage,
  { thread, head, workFolder }: RemotePosition,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    const marked = markRemote(storage, thread);
    return marked.ok ? addThreadUnderLock(storage, thread, head, workFolder) : marked;
  });
}

async function putBack(storage: Storage, place: RemotePosition): Promise<Result<void, Fault>> {
  const removed = await removeThreads(storage, [place.thread]);
  return removed.ok ? addOfRemote(storage, place) : removed;
}

async function follow(
  storage: Storage,
  { thread, from, to }: { readonly thread: ThreadId; readonly from: CasRef; readonly to: CasRef },
): Promise<Result<void, Fault>> {
  const claim = await claimThread(storage, thread, { waitMs: 0 });
  if (!claim.ok) return claim;
  const moved = await advanceHead(storage, { thread, expected: from, next: to, claim: claim.value });
  const released = releaseClaim(claim.value);
  return moved.ok ? released : moved;
}

/** How many steps lead from one head to a later one; `null`: none do. Reads the steps between, or down to the start. */
function stepsBetween(storage: Storage, from: CasRef, to: CasRef): Result<number | null, Fault> {
  let count = 0;
  for (let at: CasRef = to; at !== from; count += 1) {
    const node = readChainNode(storage.cas, at);
    if (!node.ok) return node;
    if (node.value.kind === "start") return ok(null);
    at = node.value.payload.prev ?? node.value.payload.start;
  }
  return ok(count);
}

/**
 * Refuses a remote's word on a thread of this root that was neither given to a remote nor fetched from one:
 * knowing its id alone, a stranger could get its history, move its head or become its child. A thread that
 * has ended at `head` is left as it is; a thread that was removed here is not brought back.
 */
export async function refuseOurs(
  storage: Storage,
  thread: ThreadId,
  head: string | null = null,
): Promise<Result<void, Fault>> {
  const here = await readHead(storage, thread);
  if (!here.ok) return here;
  const history = here.value === null ? readHistory(storage, thread) : ok(null);
  if (!history.ok) return history;
  const ended = history.value?.ended.get(thread);
  const line = ended ?? history.value?.removed.get(thread)?.line;
  const isOurs =
    here.value === null ? line !== undefined && !("remote" in line) : !isOnRemote(storage, thread);
  if (!isOurs || (head !== null && ended?.head === head)) return ok(undefined);
  const what = `what the remote says of thread ${thread}`;
  const reason = "this storage root has a thread of that id, which it has never given to a remote";
  return err(fault("INVALID_INPUT", { what, reason, hint: `\`uwf thread push ${thread}\` here gives it` }));
}

/** Threads of a remote, whose heads come afterwards: its lease links them. Takes the index lock. */
export function linkChildren(storage: Storage, lines: readonly ChildLine[]): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    const family = readFamily(storage);
    if (!family.ok) return family;
    const own = lines.map((line) => ({ ...line, imported: false }));
    const news = own.filter((line) => isNews(family.value, line));
    for (const thread of news.flatMap(({ child, parent }) => [child, parent])) {
      const refused = await refuseOurs(storage, thread);
      if (!refused.ok) return refused;
    }
    return appendChildren(storage, news);
  });
}

/** An empty folder for a thread that names none, or the one that it has. */
export function makeWorkspace({ paths }: Storage, thread: ThreadId): Result<string, Fault> {
  const folder = `${paths.workspaces}/${thread}`;
  return attempt(() => {
    makeDir(folder);
    return folder;
  });
}

/** Where the commits of a git repository that threads work in are kept. The folder may not be there yet. */
export function repositoryFolder({ paths }: Storage, url: string): string {
  return `${paths.workspaces}/repositories/${encodeURIComponent(url)}`;
}

/** Whether its agents work in that folder, which no other thread has. */
export function hasWorkspace(storage: Storage, thread: ThreadId): boolean {
  const folder = readWorkFolder(storage, thread);
  return folder.ok && folder.value === `${storage.paths.workspaces}/${thread}`;
}
