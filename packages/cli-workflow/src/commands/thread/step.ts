import { argument, option, text as words } from "@uncaged/command-line";
import { parse, step, threadFailure } from "@uncaged/workflow-engine";
import { err, type StepOutput } from "@uncaged/workflow-protocol";
import { readThreadRecord, type Storage } from "@uncaged/workflow-store";
import {
  ACTIVE_THREAD,
  defineRootCommand,
  MOVE_OPTION,
  STEP_FAULTS,
  STEP_OPTIONS,
  stepRequest,
} from "../../line/index.js";
import { openProgress, stepLine } from "../../progress/index.js";
import { lines, nextCommand, type Screen } from "../../screen/index.js";
import { readShortIds } from "../known-names.js";
import { documentWith, text } from "../output.js";

export const command = defineRootCommand({
  path: "thread step",
  summary: "take one step: exactly one agent run",
  arguments: { thread: argument(ACTIVE_THREAD) },
  options: {
    ...STEP_OPTIONS,
    ...MOVE_OPTION,
    expect: option(words("head"), "only from this head; exit 75 if the thread has moved on"),
  },
  examples: [
    "uwf thread step 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    'uwf thread step 01KAJ5E8 --agent "uwf-mock --scenario demo.yaml"',
    "uwf thread step 01KAJ5E8ZJ4N7XK3M9T2V6W8YB --expect 64KB4T4A9CKTS --wait",
    "uwf thread step 01KAJ5E8 --events | jq -c 'select(.event == \"step\")'",
  ],
  exits: STEP_FAULTS,
  sample: {
    line: "thread step W8YB",
    prints: "  1 planner    → developer  42 s",
  },
  run: async (context, { thread, cwd, expect, ...rest }, storage) => {
    const raw = { ...stepRequest(rest), thread, cwd, expect };
    const { shown } = raw;
    const request = parse(raw, context.host);
    if (!request.ok) return request;
    const deps = { ...context, storage, watch: null };
    const progress = openProgress(context, deps, { name: "step", thread: request.value.thread, shown });
    await progress.open(request.value.thread);
    const output = await step(progress.begin(), request.value);
    const recorded = progress.end(output, context.screen !== null);
    await progress.close(output.ok ? { output: output.value, why: "steps" } : { fault: output.error });
    if (!output.ok) return output;
    const failure = threadFailure(output.value);
    if (shown === "events") return failure === null ? text("") : err(failure);
    return documentWith(output.value, failure, async (screen) => {
      const facts = recorded?.() ?? null;
      const step = facts === null ? "" : stepLine(facts, screen);
      // Its history had led to an end already.
      const sentence =
        recorded === null
          ? lines(screen, [`thread ${output.value.thread} has ended: there was nothing left to do`])
          : step;
      return sentence + (await pausedWords(screen, storage, output.value));
    });
  },
});

/** Somebody has paused it while its agent ran. */
async function pausedWords(screen: Screen, storage: Storage, { thread, done }: StepOutput): Promise<string> {
  const pause = done ? null : readThreadRecord(storage, thread, "pause");
  if (pause === null || !pause.ok || pause.value === null || pause.value.remote) return "";
  const id = (await readShortIds(storage))(thread);
  return lines(screen, [`thread ${thread} is paused`]) + nextCommand(screen, `uwf thread resume ${id}`);
}
