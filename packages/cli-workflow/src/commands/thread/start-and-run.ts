import { argument, option } from "@uncaged/command-line";
import { assembledOf, checkCast, parse, strangerIn } from "@uncaged/workflow-engine";
import { err, type Fault, fault, isWaitFault, leavingThread, ok } from "@uncaged/workflow-protocol";
import { findKeyedThread, findThread } from "@uncaged/workflow-store";
import {
  BOUND_OPTIONS,
  boundsOf,
  defineCommand,
  MINUTES,
  START_OPTIONS,
  STEP_FAULTS,
  STEP_OPTIONS,
  stepRequest,
  WORKFLOW,
} from "../../line/index.js";
import { readShortIds, workflowName } from "../known-names.js";
import { runToEnd } from "./run-to-end.js";
import { START_FAULTS, startThread } from "./start.js";

/**
 * `thread start` and `thread run` in one. The id comes first, on stderr: whatever happens then, the thread can be gone on
 * with. With a key that is known it goes on with the key's thread; of one that has ended it prints the state.
 */
export const command = defineCommand({
  path: "run",
  summary: "start a thread and step it until it is done",
  arguments: { workflow: argument(WORKFLOW) },
  options: {
    ...START_OPTIONS,
    ...STEP_OPTIONS,
    ...BOUND_OPTIONS,
    maxMinutes: option(MINUTES, "limit of the thread: how long its agents may work"),
  },
  examples: [
    'uwf run solve-issue -p "Fix the login redirect"',
    'uwf run solve-issue -p "Fix #41" --key issue-41 --max-cost 5',
    "uwf run ./solve-issue.yaml --prompt-file task.md --agent uwf-claude --until reviewer",
  ],
  notes:
    "--max-steps, --max-cost and --timeout bound this command; `uwf thread run` goes on with its thread.",
  exits: [...START_FAULTS, ...STEP_FAULTS, "RUN_UNFINISHED", "NO_API_KEY"],
  sample: {
    line: 'run solve-issue -p "Fix the login redirect"',
    prints: `started thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB of solve-issue
  1 planner    → developer  42 s
  2 developer  → reviewer  310 s
  3 reviewer   approved: false → developer  58 s
…`,
  },
  run: async (context, { workflow: named, prompt, promptFile, cwd, key, maxMinutes, ...rest }) => {
    const limits = { maxSteps: null, maxCostUsd: null, maxMinutes };
    const start = { workflow: named, prompt, promptFile, cwd, key, parent: null, limits };
    const raw = { ...stepRequest(rest), ...boundsOf(rest), thread: "" };
    // Before anything is started.
    const request = parse(raw, context.host);
    if (!request.ok) return request;
    const cast = { ...request.value, maxSteps: raw.maxSteps };
    const started = await startThread(context, start, "run", async (storage, workflow, folder) => {
      const there = start.key === null ? ok(null) : await findKeyedThread(storage, start.key);
      if (!there.ok) return there;
      const stranger = strangerIn(assembledOf(workflow).payload, cast);
      if (stranger !== null) return err(stranger);
      // The key's thread may have ended, or be beyond the role whose agent is missing now.
      if (there.value !== null) return ok(undefined);
      return checkCast({ storage, host: context.host, workFolder: folder }, workflow, cast);
    });
    if (!started.ok) return started;
    const { storage, output } = started.value;
    const { thread, workflow, existing = false } = output;
    if (raw.shown === "usual") {
      const what = existing ? "there is" : "started";
      context.tell(`${what} thread ${thread} of ${workflowName(storage, workflow)}`);
    }
    const found = existing ? await findThread(storage, thread, context.host.cwd) : null;
    if (found?.ok === false) return found;
    const ended = found?.value.kind === "ended" ? found.value : null;
    if (ended?.reason === "killed") return err(fault("THREAD_ENDED", { thread, reason: ended.reason }));
    const last =
      ended === null
        ? null
        : ({ workflow, thread, head: ended.head, done: true, reason: ended.reason } as const);
    const deps = { ...context, storage, watch: null };
    const ran = await runToEnd(context, deps, { ...raw, ...request.value, thread }, last);
    // The failure, with what can be done with a thread that is still active.
    const left = async (failure: Fault): Promise<Fault> => {
      const now = await findThread(storage, thread, context.host.cwd);
      // Of a thread that waits the fault has the command that helps: running it again would not.
      if (!now.ok || now.value.kind !== "active" || isWaitFault(failure)) return failure;
      const idOf = await readShortIds(storage);
      return leavingThread(failure, { thread: idOf(thread), withAgent: raw.agents.length > 0 });
    };
    if (!ran.ok) return err(await left(ran.error));
    const printed = ran.value;
    return printed.kind === "failure" ? ok({ ...printed, fault: await left(printed.fault) }) : ran;
  },
});
