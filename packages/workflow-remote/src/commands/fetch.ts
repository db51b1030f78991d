import {
  CHANGE_FAULTS,
  defineCommand,
  document,
  lines,
  nextCommand,
  REMOTE_FAULTS,
  THREAD,
  type UwfCommand,
} from "@uncaged/cli-workflow/add-on";
import { argument } from "@uncaged/command-line";
import { ok, type ThreadId } from "@uncaged/workflow-protocol";
import { makeWorkspace } from "@uncaged/workflow-store";
import { fetchNodes, placeFetched, withRemote } from "../work/index.js";

/** One of the remote, which completion does not ask. */
const REMOTE_THREAD = { ...THREAD, candidates: null };

/** Brings a thread of the remote here, to read it; an active one does not go on here. */
export const command: UwfCommand = defineCommand({
  path: "thread fetch",
  summary: "copy a thread of the remote here, to read it",
  arguments: { thread: argument(REMOTE_THREAD) },
  examples: ["uwf thread fetch 01KAJ5E8 && uwf thread read 01KAJ5E8"],
  notes: "Workers go on stepping an active thread at the remote; it cannot be stepped here.",
  exits: ["OLDER_ROOT", ...CHANGE_FAULTS, ...REMOTE_FAULTS, "HEAD_MOVED", "CLAIM_LOST"],
  sample: {
    line: "thread fetch 01KAJ5H1ZM6Q8V2T4RXC3B7W2D",
    prints: `thread 01KAJ5H1ZM6Q8V2T4RXC3B7W2D is here, at 3CZBG03ZSS8T3
next: uwf thread read 01KAJ5H1ZM6Q8V2T4RXC3B7W2D`,
  },
  run: async (context, request) => {
    const opened = context.openStorage();
    if (!opened.ok) return opened;
    const storage = opened.value;
    const fetched = await withRemote(context.host, async (remote) => {
      const there = await remote.find(request.thread);
      if (!there.ok) return there;
      const head = await fetchNodes({ storage, remote }, there.value);
      return head.ok ? ok(there.value) : head;
    });
    if (!fetched.ok) return fetched;
    const { head, steps, ended } = fetched.value;
    const thread = fetched.value.thread as ThreadId;
    const { cwd } = fetched.value;
    const folder = cwd === null ? makeWorkspace(storage, thread) : ok(cwd);
    if (!folder.ok) return folder;
    const placed = await placeFetched(storage, fetched.value, folder.value);
    if (!placed.ok) return placed;
    const { withdrawn } = placed.value;
    if (withdrawn !== null) {
      context.warn(
        `thread ${thread} was at ${withdrawn} here, which the remote's does not reach; \`uwf thread fork ${withdrawn}\` goes on from it`,
      );
    }
    return document({ thread, head: placed.value.head, steps, ended }, (screen) => {
      const next = nextCommand(screen, `uwf thread read ${thread}`);
      return lines(screen, [`thread ${thread} is here, at ${head}`]) + next;
    });
  },
});
