import { argument, flag, list } from "@uncaged/command-line";
import { decideAtHead, failedAt, type ThreadView, targetName, threadView } from "@uncaged/workflow-engine";
import { type Explanation, explain } from "@uncaged/workflow-moderator";
import {
  err,
  exitCodeOf,
  fault,
  isRoutingFault,
  ok,
  reportOf,
  START,
  waitWords,
} from "@uncaged/workflow-protocol";
import { findThread, fullHistory, openHistory } from "@uncaged/workflow-store";
import { AGENT, defineRootCommand, ROOT_FAULTS, ROUTING_FAULTS, THREAD } from "../../line/index.js";
import {
  type Cell,
  type ColumnOf,
  type Human,
  left,
  lines,
  type Paint,
  paintOf,
  paintOn,
  type Screen,
  shrinking,
  tableOf,
} from "../../screen/index.js";
import { readShortIds } from "../known-names.js";
import { document } from "../output.js";
import { printPrompt } from "./next-prompt.js";

/**
 * The decision that the next step would take, with every condition and its value or its error: from as much of the
 * history as that step would read. Where no decision leads on, that is the answer, and exit 5 says it too. Runs nothing.
 */
export const command = defineRootCommand({
  path: "thread next",
  summary: "print the next role and how it was decided, without running anything",
  arguments: { thread: argument(THREAD) },
  options: {
    prompt: flag("print the prompt that its agent will get, to the byte"),
    agent: list(
      AGENT,
      "with --prompt: for this agent, which may have a session; <role>=<command> for one role",
    ),
    fresh: flag("with --prompt: the prompt of a new session, even if the agent has one"),
  },
  examples: [
    "uwf thread next 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    "uwf thread next 01KAJ5E8 --prompt",
    "uwf thread next 01KAJ5E8 --prompt --agent uwf-claude --fresh",
  ],
  exits: [
    ...ROOT_FAULTS,
    ...ROUTING_FAULTS,
    "FILE_NOT_FOUND",
    "INVALID_INPUT",
    "TOO_LARGE",
    "ALIAS_UNDEFINED",
    "THREAD_ENDED",
  ],
  sample: {
    line: "thread next W8YB",
    prints: `thread W8YB after developer: reviewer
   LEADS TO  IF        IS    EXPRESSION
→  reviewer  (always)  true`,
  },
  check: ({ prompt, agent, fresh }) =>
    prompt || (agent.length === 0 && !fresh) ? null : "--agent and --fresh go with --prompt",
  run: async (context, request, storage) => {
    const state = await findThread(storage, request.thread, context.host.cwd);
    if (!state.ok) return state;
    const { thread, head } = state.value;
    if (request.prompt && state.value.kind === "ended")
      return err(fault("THREAD_ENDED", { thread, reason: state.value.reason }));
    const chain = openHistory(storage.cas, head);
    if (!chain.ok) return chain;
    const { workflow } = chain.value;
    const history = fullHistory(storage, thread, chain.value, "read");
    const place = { storage, chain: chain.value, history };
    const explained = await decideAtHead(place, async (seen) => ok(await explain(workflow.payload, seen)));
    if (!explained.ok) return explained;
    const { decision, transitions } = explained.value;
    if (request.prompt && decision.ok)
      return printPrompt(context, { ...place, thread, decision: decision.value }, request);
    const asked = { workflow: workflow.hash, thread, head };
    const view = await threadView(storage, state.value, {
      warn: context.warn,
      decider: async () => decision,
    });
    if (!view.ok) return view;
    const { held, damage } = view.value;
    if (damage !== null) return err(damage);
    const after = chain.value.newest?.payload.role ?? START;
    const human =
      (next: string | null): Human =>
      async (screen) =>
        nextTable(screen, { view: view.value, after, next, transitions }, await readShortIds(storage));
    if (decision.ok) {
      const next = targetName(decision.value);
      return document({ ...asked, next, transitions, held }, human(next));
    }
    const failure = failedAt(head, decision.error);
    if (request.prompt || !isRoutingFault(failure)) return err(failure);
    const value = { ...asked, next: null, error: reportOf(failure), transitions };
    return ok({ kind: "verdict", value, human: human(null), exitCode: exitCodeOf(failure) });
  },
});

type Transition = Explanation["transitions"][number];

/** A decision and how it came about. */
type Decided = {
  readonly view: ThreadView;
  /** The role of the head's step, or `$START`. */
  readonly after: string;
  /** The role that comes next, or how the thread ends; `null`: no decision leads on. */
  readonly next: string | null;
  readonly transitions: readonly Transition[];
};

/** Every transition with its value, the taken one marked. */
function nextTable(screen: Screen, decided: Decided, idOf: (id: string) => string): string {
  const { view, after, next, transitions } = decided;
  const paint = paintOn(screen);
  const taken =
    next === null ? undefined : transitions.find(({ value, error }) => value === true && error === null);
  const columns: readonly ColumnOf<Transition>[] = [
    [left(""), (each) => ({ text: each === taken ? "→" : "", paint: paint.good })],
    [left("LEADS TO"), (each) => (each === taken ? { text: each.role, paint: paint.good } : each.role)],
    [left("IF"), ({ condition }) => condition ?? "(always)"],
    [left("IS"), (each) => valueCell(each, paint)],
    [shrinking("EXPRESSION"), ({ expression }) => expression ?? ""],
  ];
  const where = `thread ${idOf(view.thread)} ${after === START ? "begins" : `after ${after}`}`;
  return (
    lines(screen, [`${where}: ${next === null ? "no transition can be taken" : next}`]) +
    tableOf(screen, columns, transitions) +
    lines(screen, [
      ...transitions.flatMap(({ condition, error }) =>
        error === null ? [] : [{ text: `${condition ?? "(always)"}: ${error}`, paint: paint.bad }],
      ),
      butWords(view, paint, idOf),
    ])
  );
}

/** Why the next step does not start that role now. */
function butWords(
  { thread, state, held }: ThreadView,
  paint: Paint,
  idOf: (id: string) => string,
): Cell | null {
  if (state === "running" || state === "abandoned")
    return { text: `but it is ${state}`, paint: paintOf(state, paint) };
  if (held === null) return null;
  return { text: `but it ${waitWords({ ...held, role: null }, thread, idOf)}`, paint: paint.warn };
}

/** Most are Booleans; another value is an error. */
const LONGEST_VALUE = 20;

function valueCell({ value, error }: Transition, paint: Paint): Cell {
  if (error !== null) return { text: "error", paint: paint.bad };
  const text = JSON.stringify(value);
  return { text: text.length > LONGEST_VALUE ? "…" : text, paint: value === true ? paint.good : paint.dim };
}
