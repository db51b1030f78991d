import { isHash } from "@uncaged/json-cas";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  archiveThread,
  attempt,
  claimThread,
  encodedNodes,
  findThread,
  knownTypes,
  linkChildren,
  makeWorkspace,
  type PlacedThread,
  placeThread,
  readChainNode,
  readStartNode,
  refuseOurs,
  releaseClaim,
  type Storage,
  storeEncoded,
} from "@uncaged/workflow-store";
import type { Leased, ParentLink, Pushed, Remote, RemoteThread } from "../types.js";

/** Between the storage root and the remote. */
export type Ends = { readonly storage: Storage; readonly remote: Remote };

/** The nodes of a thread's head, as far as they are not here. */
export async function fetchNodes(
  { storage, remote }: Ends,
  { thread, head }: Pick<RemoteThread, "thread" | "head">,
): Promise<Result<CasRef, Fault>> {
  if (!isHash(head)) return err(fault("MALFORMED_HASH", { value: head }));
  const has = attempt(() => storage.cas.has(head));
  if (!has.ok) return has;
  // A head is stored after all that it reaches.
  if (has.value) return ok(head);
  const known = await readKnown(storage, thread as ThreadId);
  const nodes = await remote.fetch(head, [...known, ...knownTypes(storage)]);
  if (!nodes.ok) return nodes;
  const stored = await storeEncoded(storage, nodes.value);
  if (stored.ok) return ok(head);
  // What the remote has is wrong: at every other root, too.
  const { error } = stored;
  if (error.code !== "NODE_DAMAGED") return stored;
  return err(fault("INVALID_INPUT", { what: `the remote's node ${error.hash}`, reason: error.reason }));
}

/** What is here of the thread: its head and its start reach the rest. */
async function readKnown(storage: Storage, thread: ThreadId): Promise<readonly CasRef[]> {
  const found = await findThread(storage, thread);
  if (!found.ok) return [];
  const start = readStartNode(storage.cas, found.value.head);
  return start.ok ? [found.value.head, start.value.hash] : [];
}

/** Its local state, and what the remote has besides its head: the heads of threads that it has started. */
export type FetchedThread = PlacedThread & { readonly known: readonly CasRef[] };

/** Fetches a thread that is leased to us, and brings it to its place here. */
export async function fetchLeased(ends: Ends, leased: Leased): Promise<Result<FetchedThread, Fault>> {
  const thread = leased.thread as ThreadId;
  const refused = await refuseOurs(ends.storage, thread, leased.head);
  if (!refused.ok) return refused;
  const head = await fetchNodes(ends, leased);
  if (!head.ok) return head;
  // A thread that names no folder gets an empty one of its own.
  const folder = leased.cwd === null ? makeWorkspace(ends.storage, thread) : ok(leased.cwd);
  if (!folder.ok) return folder;
  const placed = await placeThread(ends.storage, { thread, head: head.value, workFolder: folder.value });
  if (!placed.ok) return placed;
  const known = leased.place === null && !leased.hasChildren ? ok([]) : await fetchFamily(ends, leased);
  return known.ok ? ok({ ...placed.value, known: known.value }) : known;
}

/** Brings what the thread's step needs of others: who has started it, and the threads that its step has started. */
async function fetchFamily(
  { storage, remote }: Ends,
  leased: Leased,
): Promise<Result<readonly CasRef[], Fault>> {
  const family = await remote.family(leased.thread);
  if (!family.ok) return family;
  const { above, below } = family.value;
  const own = below.filter(({ place }) => place?.parent === leased.thread && place.head === leased.head);
  const named = [leased, ...own].flatMap(({ thread, place }) => (place === null ? [] : [{ thread, place }]));
  const higher = above.slice(1).map((place, at) => ({ thread: above[at]?.parent ?? "", place }));
  const linked = await linkChildren(storage, [...named, ...higher].map(asChildLine));
  if (!linked.ok) return linked;
  for (const child of own) {
    const refused = await refuseOurs(storage, child.thread as ThreadId, child.head);
    if (!refused.ok) return refused;
    const nodes = await fetchNodes({ storage, remote }, child);
    if (!nodes.ok) return nodes;
    const brought = await placeFetched(storage, child, null);
    if (!brought.ok) return brought;
  }
  return ok(own.map(({ head }) => head as CasRef));
}

export function asChildLine({
  thread,
  place,
}: {
  readonly thread: string;
  readonly place: ParentLink;
}): ChildLine {
  return {
    ...place,
    child: thread as ThreadId,
    parent: place.parent as ThreadId,
    head: place.head as CasRef,
  };
}

/** The local head of a fetched thread, and the head that it had here, if that one is lost to it. */
export type Here = { readonly head: CasRef; readonly withdrawn: CasRef | null };

/** Brings a thread whose nodes are here to where the remote has it, ended or not; `folder`: of one that is new here. */
export async function placeFetched(
  storage: Storage,
  { workflow, ended, changedAt, ...at }: RemoteThread,
  folder: string | null,
): Promise<Result<Here, Fault>> {
  const [thread, head] = [at.thread as ThreadId, at.head as CasRef];
  const placed = await placeThread(storage, { thread, head, workFolder: folder });
  if (!placed.ok || placed.value.ended !== null || ended === null) return placed;
  const claim = await claimThread(storage, thread, { waitMs: 0 });
  if (!claim.ok) return claim;
  // A step that was finished here, of a thread that was killed there, is its last one here.
  const here = placed.value.head;
  const line = { thread, workflow: workflow as CasRef, head: here, reason: ended, completedAt: changedAt };
  const archived = await archiveThread(storage, line, claim.value);
  const released = releaseClaim(claim.value);
  if (!archived.ok) return archived;
  const { ahead, withdrawn } = placed.value;
  return released.ok ? ok({ head: here, withdrawn: ahead > 0 ? here : withdrawn }) : released;
}

/**
 * Runs `work` with a thread that no worker has meanwhile, for as long as a person needs it: under a name of its own, as
 * a worker of this root must not take it for one that it had before. What it does not push is held again as it was.
 */
export async function withLease<T>(
  remote: Remote,
  { thread, held }: RemoteThread,
  name: string,
  work: (leased: Leased) => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  const announced = await remote.announce({
    root: name,
    leaseSeconds: LEASE_SECONDS,
    host: null,
    folder: null,
    place: null,
  });
  if (!announced.ok) return announced;
  const leased = await remote.leaseThread(thread, name);
  const done = leased.ok ? await workWith(remote, thread, leased.value, work) : leased;
  if (leased.ok && leased.value !== null) {
    const { lease } = leased.value;
    // Changes nothing where a push has given it back already.
    await remote.release({
      thread,
      lease,
      held,
      againIn: held === null ? 0 : null,
      keep: false,
      entry: null,
    });
  }
  const left = await remote.leave(name);
  return done.ok && !left.ok ? left : done;
}

/** Longer than any command holds a thread without asking somebody. */
const LEASE_SECONDS = 60;

async function workWith<T>(
  remote: Remote,
  thread: string,
  leased: Leased | null,
  work: (leased: Leased) => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  if (leased !== null) return work(leased);
  const now = await remote.find(thread);
  if (!now.ok) return now;
  const { ended } = now.value;
  if (ended === null) return err(fault("REMOTE_BUSY", { thread }));
  return err(fault("THREAD_ENDED", { thread, reason: ended, remote: true }));
}

/** Pushes a leased thread's local state, with what its step has left in its workspace. */
export async function pushHead(
  { storage, remote }: Ends,
  { thread, head, lease, steps }: Pick<Leased, "thread" | "head" | "lease" | "steps">,
  placed: Pick<FetchedThread, "head" | "ahead" | "ended" | "known">,
  entry: Readonly<Record<string, unknown>>,
  commit: string | null = null,
): Promise<Result<Pushed, Fault>> {
  const start = readStartNode(storage.cas, placed.head);
  if (!start.ok) return start;
  const nodes = encodedNodes(storage, placed.head, [head as CasRef, start.value.hash, ...placed.known]);
  if (!nodes.ok) return nodes;
  const { head: next, ended } = placed;
  const step = { event: "step", head: next, step: steps + placed.ahead, role: roleAt(storage, next), ended };
  return remote.push({
    thread,
    expected: head,
    lease,
    next,
    steps: step.step,
    ended,
    commit,
    nodes: nodes.value,
    entry: { ...step, ...(commit === null ? {} : { commit }), ...entry },
  });
}

/** The role of a thread's last step; `null`: it has had none. */
export function roleAt({ cas }: Storage, head: string): string | null {
  const node = readChainNode(cas, head as CasRef);
  return node.ok && node.value.kind === "step" ? node.value.payload.role : null;
}
