import { argument } from "@uncaged/command-line";
import { type Fault, ok, programOf, type Result, type ThreadStepsOutput } from "@uncaged/workflow-protocol";
import { type Chain, readContext, type Storage } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { defineRootCommand, THREAD } from "../../line/index.js";
import { type ItemRenderer, memberRenderer } from "../../render.js";
import { explainReasons } from "../../report/index.js";
import {
  ago,
  left,
  lines,
  paintOn,
  right,
  type Screen,
  shrinking,
  summaryOf,
  tableWriter,
} from "../../screen/index.js";
import { printAll, text } from "../output.js";
import { readHistory } from "./nodes.js";

type Step = Chain["steps"][number];
type Item = ThreadStepsOutput["steps"][number];

export const command = defineRootCommand({
  path: "thread steps",
  summary: "print the start and every step, oldest first",
  arguments: { thread: argument(THREAD) },
  examples: ["uwf thread steps 01KAJ5E8 | jq '.steps[-1].output'", "uwf thread steps 01KAJ5E8 --remote"],
  sample: {
    line: "thread steps W8YB",
    prints: `solve-issue: Fix the login redirect
#  ROLE       WHY     AGENT        WHEN  STEP           OUTPUT
1  planner    always  uwf-mock  4 s ago  968RK709D8JWK  plan: …
…`,
  },
  onRemote: {},
  run: async ({ host, screen, format }, { thread }, storage) => {
    const history = await readHistory(storage, thread, host.cwd);
    if (!history.ok) return history;
    const { state, chain } = history.value;
    const head = { thread: state.thread, workflow: chain.workflow.hash };
    const renderer =
      screen === null
        ? await memberRenderer(format ?? "json", { head, name: "steps" })
        : stepsRenderer(screen, chain.workflow.payload.name, await reasons(storage, chain));
    const { hash, payload } = chain.start;
    const { workflow, prompt } = payload;
    // The StartNode has the time of the first thread with that task.
    const start = { hash, workflow, prompt, timestamp: timeOfThreadId(state.thread) };
    const parts = [null, ...chain.steps];
    const read = (step: Step | null): Result<Item, Fault> =>
      step === null ? ok(start) : stepItem(storage, chain, step);
    // The chain has been read; outputs are read as they are printed.
    const printed = await printAll(host.stdout, renderer, { parts, read });
    return printed.ok ? text("") : printed;
  },
});

/** None if the history cannot be read: the item itself reports that. */
async function reasons({ cas }: Storage, chain: Chain): Promise<readonly string[]> {
  const context = readContext(cas, chain);
  return context.ok ? explainReasons(chain.workflow.payload, context.value) : [];
}

function stepItem({ cas }: Storage, { head, start }: Chain, step: Step): Result<Item, Fault> {
  const { hash, payload, timestamp } = step;
  const { role, detail, agent } = payload;
  const context = readContext(cas, { head, start, steps: [step] });
  if (!context.ok) return context;
  const output = context.value.steps[0]?.output ?? null;
  return ok({ hash, role, output, detail, agent, timestamp });
}

const COLUMNS = [
  right("#"),
  shrinking("ROLE"),
  shrinking("WHY"),
  shrinking("AGENT"),
  right("WHEN"),
  left("STEP"),
  shrinking("OUTPUT"),
];

/** The start as a sentence, every step as a row. */
function stepsRenderer(screen: Screen, name: string, reasons: readonly string[]): ItemRenderer {
  const { dim } = paintOn(screen);
  const table = tableWriter(screen, COLUMNS);
  let count = 0;
  const textOf = (item: Item): string => {
    if (!("role" in item)) return lines(screen, [`${name}: ${item.prompt}`]);
    count += 1;
    const { role, agent, timestamp, hash, output } = item;
    const when = { text: ago(timestamp, screen.now), paint: dim };
    const why = reasons[count - 1] ?? "";
    return table.add([String(count), role, why, programOf(agent), when, hash, summaryOf(output)]);
  };
  return {
    item: async (value) => textOf(value as Item),
    end: () => (count === 0 ? "no step has been taken yet\n" : table.end()),
  };
}
