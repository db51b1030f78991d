import {
  type CasRef,
  type ChildLine,
  type Fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  encodedNodes,
  giveToRemote,
  makeWorkspace,
  readChain,
  readFamily,
  readHold,
  readWorkFolder,
  type Storage,
  writeThreadRecord,
} from "@uncaged/workflow-store";
import type { Leased, RemoteHold, RemoteNode, Wait } from "../types.js";

/** What a thread waits for, and the threads themselves, as the remote gets them. */
export type AwaitedChildren = {
  readonly held: RemoteHold;
  readonly children: Wait["children"];
  readonly nodes: readonly RemoteNode[];
};

/** `null`: the step waits for something else, or for threads that it has not started. `keep` gives the commit that its workspace is at. */
export async function childrenAwaited(
  storage: Storage,
  leased: Leased,
  keep: () => Promise<Result<string | null, Fault>>,
): Promise<Result<AwaitedChildren | null, Fault>> {
  const thread = leased.thread as ThreadId;
  const hold = readHold(storage, { thread, head: leased.head });
  if (!hold.ok || hold.value?.for !== "threads") return hold.ok ? ok(null) : hold;
  const family = readFamily(storage);
  if (!family.ok) return family;
  const commit = await keep();
  if (!commit.ok) return commit;
  const children: Wait["children"][number][] = [];
  const nodes = new Map<string, RemoteNode>();
  for (const awaited of hold.value.threads) {
    const line = family.value.parentOf(awaited.thread);
    if (line?.parent !== thread) return ok(null);
    // A child that was started before the thread came to the remote is given to it now.
    const given = await giveToRemote(storage, awaited.thread);
    // It has ended here meanwhile: the next step sees that.
    if (!given.ok) return given.error.code === "THREAD_ENDED" ? ok(null) : given;
    const child = childAt(storage, { ...leased, commit: commit.value }, line, awaited.head);
    if (!child.ok) return child;
    children.push(child.value);
    const its = encodedNodes(storage, awaited.head, []);
    if (!its.ok) return its;
    for (const node of its.value) nodes.set(node.hash, node);
  }
  const { role, question } = hold.value;
  const held = { for: "threads", role, question, code: null };
  return ok({ held, children, nodes: [...nodes.values()] });
}

function childAt(
  storage: Storage,
  { cwd, workspace, commit }: Leased & { readonly commit: string | null },
  { child, parent, head, role, item, at }: ChildLine,
  stands: CasRef,
): Result<Wait["children"][number], Fault> {
  const chain = readChain(storage.cas, stands);
  if (!chain.ok) return chain;
  const folder = cwd === null ? ownFolder(storage, child) : readWorkFolder(storage, child);
  if (!folder.ok) return folder;
  return ok({
    thread: child,
    workflow: chain.value.workflow.hash,
    head: stands,
    steps: chain.value.steps.length,
    cwd: cwd === null ? null : (folder.value ?? cwd),
    // The child gets a branch of its own, which starts where its parent is.
    workspace: workspace === null ? null : { ...workspace, commit: commit ?? workspace.commit },
    place: { parent, head, role, item, at },
  });
}

/**
 * Its parent's folder is a different one at every worker, and children that share one would overwrite each other's
 * work.
 */
function ownFolder(storage: Storage, child: ThreadId): Result<string, Fault> {
  const folder = makeWorkspace(storage, child);
  if (!folder.ok) return folder;
  const kept = writeThreadRecord(storage, child, "folder", { cwd: folder.value });
  return kept.ok ? folder : kept;
}
