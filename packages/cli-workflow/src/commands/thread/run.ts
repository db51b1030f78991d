import { flag, option, optional } from "@uncaged/command-line";
import { parse } from "@uncaged/workflow-engine";
import { findThread } from "@uncaged/workflow-store";
import { asThreadId } from "@uncaged/workflow-util";
import {
  ACTIVE_THREAD,
  BOUND_OPTIONS,
  boundsOf,
  defineRootCommand,
  MOVE_OPTION,
  POSITIVE,
  STEP_FAULTS,
  STEP_OPTIONS,
  STORED_WORKFLOW,
  stepRequest,
} from "../../line/index.js";
import { threadRunAll } from "./run-all.js";
import { runToEnd } from "./run-to-end.js";

export const command = defineRootCommand({
  path: "thread run",
  summary: "step until the thread is done, or every thread with --all",
  arguments: { thread: optional(ACTIVE_THREAD) },
  options: {
    ...STEP_OPTIONS,
    ...MOVE_OPTION,
    ...BOUND_OPTIONS,
    all: flag("every active thread, children first; skips those that wait"),
    workflow: option(STORED_WORKFLOW, "with --all: only this workflow"),
    jobs: option(POSITIVE, "with --all: this many threads at a time (default: 1)"),
  },
  examples: [
    "uwf thread run 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    "uwf thread run --all --jobs 2",
    "uwf thread run 01KAJ5E8 --max-steps 10",
    "uwf thread run 01KAJ5E8 --until reviewer",
    "uwf thread run 01KAJ5E8 --max-cost 2.50 --timeout 30m",
    "uwf thread run 01KAJ5E8 --retries 3",
  ],
  exits: [...STEP_FAULTS, "RUN_UNFINISHED"],
  sample: {
    line: "thread run W8YB",
    prints: `  3 reviewer   approved: false → developer  58 s
  4 developer  → reviewer  204 s
  5 reviewer   approved: true → done  49 s
ended: 3 steps, 311 s`,
  },
  check: ({ thread, all, workflow, jobs, cwd, until, maxCost, events }) => {
    if (thread !== null && !all && workflow === null && jobs === null) return null;
    if (thread !== null || !all) return "name one thread, or --all, which --workflow and --jobs go with";
    if (cwd !== null) return "--cwd moves one thread, not --all of them";
    return until === null && maxCost === null && !events
      ? null
      : "--until, --max-cost and --events are for one thread, not for --all";
  },
  run: async (context, { thread: text, all: _, workflow, jobs, cwd, ...rest }, storage) => {
    const raw = { ...stepRequest(rest), ...boundsOf(rest) };
    if (text === null) {
      return threadRunAll(context, storage, { ...raw, workflow, jobs: jobs ?? 1 });
    }
    const request = parse({ ...raw, thread: text, cwd }, context.host);
    if (!request.ok) return request;
    const deps = { ...context, storage, watch: null };
    // Found once: a thread that is started in the meantime must not become `latest`, nor make a part of an id ambiguous.
    const isComplete = asThreadId(text) !== null;
    const found = isComplete ? null : await findThread(storage, text, context.host.cwd, "change");
    if (found?.ok === false) return found;
    const thread = found?.value.thread ?? text;
    return runToEnd(context, deps, { ...raw, ...request.value, thread });
  },
});
