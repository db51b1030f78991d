import {
  defineCommand,
  document,
  lines,
  nextCommand,
  PROMPT_OPTIONS,
  REMOTE_FAULTS,
  storeStart,
  type UwfCommand,
  WORKFLOW,
} from "@uncaged/cli-workflow/add-on";
import { argument } from "@uncaged/command-line";
import { ok } from "@uncaged/workflow-protocol";
import { encodedNodes } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { withRemote } from "../work/index.js";
import { PLACE_OPTIONS, readWorkLocation } from "./work-location.js";

/** A new thread, on the remote only, so that no local command steps it by mistake. */
export const command: UwfCommand = defineCommand({
  path: "thread submit",
  summary: "start a thread on the remote, where workers step it",
  arguments: { workflow: argument(WORKFLOW) },
  options: { ...PROMPT_OPTIONS, ...PLACE_OPTIONS },
  examples: [
    'uwf thread submit solve-issue -p "Fix the login redirect"',
    "uwf thread submit ./solve-issue.yaml --prompt-file task.md --cwd /srv/checkout",
    'uwf thread submit solve-issue -p "Fix #41" --workspace https://git.example/acme/shop.git#main',
  ],
  exits: ["OLDER_ROOT", ...REMOTE_FAULTS],
  sample: {
    line: 'thread submit solve-issue -p "Say hello"',
    prints: `submitted thread 01KAJ5H1ZM6Q8V2T4RXC3B7W2D
next: uwf thread show 01KAJ5H1ZM6Q8V2T4RXC3B7W2D --remote`,
  },
  run: async (context, request) => {
    const place = readWorkLocation(context, request);
    if (!place.ok) return place;
    const started = await storeStart(context, request, "thread submit", async () => ok(undefined));
    if (!started.ok) return started;
    const { storage, workflow, head } = started.value;
    const nodes = encodedNodes(storage, head, []);
    if (!nodes.ok) return nodes;
    const thread = await newThreadId(context.host.now());
    const added = await withRemote(context.host, (remote) =>
      remote.add({
        ...{ thread, workflow, head, steps: 0, ...place.value, ended: null },
        nodes: nodes.value,
      }),
    );
    if (!added.ok) return added;
    return document({ workflow, thread }, (screen) => {
      const next = nextCommand(screen, `uwf thread show ${thread} --remote`);
      return lines(screen, [`submitted thread ${thread}`]) + next;
    });
  },
});
