import type { JsonValue } from "@uncaged/json-cas";
import {
  decide,
  type EvaluationSession,
  explain,
  openEvaluationSession,
  stepsNeeded,
  type TriedTransition,
} from "@uncaged/workflow-moderator";
import {
  END,
  FAIL,
  type ModeratorContext,
  messageOf,
  type PlayedScenario,
  type ScenarioFailure,
  START,
  type StepContext,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { putNode } from "@uncaged/workflow-store";
import {
  chooseEntry,
  type Entry,
  entryIndex,
  plainEntry,
  type Scenario,
  withHashes,
} from "@uncaged/workflow-util";
import { targetName } from "../step/index.js";
import type { AssembledWorkflow } from "../workflow.js";
import { failedReply, invalidReply, noReply, surprise, tooLong, unroutable } from "./failures.js";
import { type MemoryThread, startThread } from "./thread.js";

/** A decision: after which role (or $START), and what was tried up to the transition that matched. */
export type Decided = { readonly from: string; readonly tried: readonly TriedTransition[] };

/** What is wrong with a step. */
export type Found = Pick<ScenarioFailure, "kind" | "message" | "hint" | "expected" | "got" | "problems"> & {
  /** The keys that lead to what is to blame in the scenario; `null`: nothing is. */
  readonly place: readonly (string | number)[] | null;
};

/** The same, with the step; its position in the scenario's file is not known yet. */
export type Unplaced = Found & Pick<ScenarioFailure, "step" | "after" | "transitions">;

/** How a scenario went. */
export type Played = {
  readonly steps: readonly { readonly role: string; readonly output: JsonValue }[];
  readonly decided: readonly Decided[];
  readonly end: PlayedScenario["end"];
  readonly failure: Unplaced | null;
  /** The replies that were made up for roles that had none. */
  readonly added: ReadonlyMap<string, string>;
};

type PlayRequest = {
  readonly workflow: AssembledWorkflow;
  readonly scenario: Scenario;
  readonly maxSteps: number;
  /** Where the paths of an output lead. */
  readonly workFolder: string;
  /** A reply for a role that has none; `null`: the scenario must have one. */
  readonly replyFor: (role: string) => string | null;
};

/** A scenario while it is played. */
type Play = {
  readonly request: PlayRequest;
  readonly thread: MemoryThread;
  /** As much of the history as the next decision can read. */
  readonly context: () => Promise<ModeratorContext>;
  readonly decide: (context: ModeratorContext) => ReturnType<typeof decide>;
  readonly steps: StepContext[];
  readonly decided: Decided[];
  /** With the replies that were made up. */
  readonly roles: Map<string, readonly Entry[]>;
  readonly added: Map<string, string>;
};

type Stop =
  | { readonly kind: "end"; readonly end: typeof END | typeof FAIL }
  | { readonly kind: "failure"; readonly found: Found; readonly end: Played["end"] };

/** The task of a scenario that has no `prompt`. */
const TASK = "The task of the scenario.";

/** Plays a scenario from $START to the end of the graph, or to the first step that is not as it should be. */
export async function playScenario(request: PlayRequest): Promise<Played> {
  const session = openEvaluationSession();
  try {
    return await playToTheEnd(await begin(request, session));
  } finally {
    await session.close();
  }
}

async function playToTheEnd(play: Play): Promise<Played> {
  let stop = await advance(play);
  while (stop === null) stop = await advance(play);
  const failure = stop.kind === "end" ? null : await failureOf(play, stop.found);
  const steps = play.steps.map(({ role, output }) => ({ role, output }));
  return { steps, decided: play.decided, end: stop.end, failure, added: play.added };
}

async function begin(request: PlayRequest, session: EvaluationSession): Promise<Play> {
  const { workflow, scenario, workFolder: folder } = request;
  const thread = await startThread(workflow, scenario.prompt ?? TASK, folder);
  const steps: StepContext[] = [];
  const windowAfter = windowsOf(workflow.payload);
  const context = async (): Promise<ModeratorContext> => {
    const window = await windowAfter(steps.at(-1)?.role ?? START);
    return { start: thread.start, steps: window === null ? steps : steps.slice(-window) };
  };
  return {
    request,
    thread,
    context,
    decide: decideOnce(workflow.payload, session),
    steps,
    decided: [],
    roles: new Map(scenario.roles),
    added: new Map(),
  };
}

/** `decide`, once for each context: while the last replies of the roles repeat, so do the contexts. */
function decideOnce(workflow: WorkflowPayload, { observe }: EvaluationSession): Play["decide"] {
  const known = new Map<string, ReturnType<typeof decide>>();
  return (context) => {
    if (context.steps.length > MOST_KEPT) return decide(workflow, context, observe);
    const key = JSON.stringify(context.steps);
    const decision = known.get(key) ?? decide(workflow, context, observe);
    known.set(key, decision);
    return decision;
  };
}

/** A longer context has the history in it, and comes once. */
const MOST_KEPT = 10;

/** `stepsNeeded` after each role, asked once. */
function windowsOf(workflow: WorkflowPayload): (from: string) => Promise<number | null> {
  const known = new Map<string, Promise<number | null>>();
  return (from) => {
    const window = known.get(from) ?? stepsNeeded(workflow, from);
    known.set(from, window);
    return window;
  };
}

/** One decision and one step; `null`: go on. */
async function advance(play: Play): Promise<Stop | null> {
  const { scenario, maxSteps } = play.request;
  const { steps } = play;
  const decision = await play.decide(await play.context());
  if (!decision.ok) return failure(unroutable(messageOf(decision.error)));
  play.decided.push({ from: steps.at(-1)?.role ?? START, tried: decision.value.tried });
  const target = targetName(decision.value);
  const found = surprise(scenario, steps.length, target);
  if (decision.value.kind === "end") {
    const end = decision.value.reason === "end" ? END : FAIL;
    return found === null ? { kind: "end", end } : { kind: "failure", found, end };
  }
  if (found !== null) return failure(found);
  if (steps.length >= maxSteps) return failure(tooLong(steps, target));
  const wrong = await visit(play, target);
  return wrong === null ? null : failure(wrong);
}

function failure(found: Found): Stop {
  return { kind: "failure", found, end: null };
}

/** Plays the scenario's entry for this visit of the role; `null`: it is the next step now. */
async function visit(play: Play, role: string): Promise<Found | null> {
  const { request, thread, steps, roles, added } = play;
  const { scenario } = request;
  if (!roles.has(role)) {
    const reply = request.replyFor(role);
    if (reply === null) return noReply(role);
    added.set(role, reply);
    roles.set(role, [plainEntry(reply)]);
  }
  const choice = chooseEntry({ ...scenario, roles, expect: null }, { role, steps });
  if (!choice.ok) return noReply(role);
  const index = entryIndex(roles.get(role) ?? [], { role, steps });
  const entry = await withHashes(choice.entry, scenario.texts, (text) =>
    putNode(thread.store, "content", { text: text }),
  );
  const { reply, exitCode } = entry;
  if (reply === null || exitCode !== 0) return failedReply(role, index, exitCode);
  const step = await thread.step(role, { ...entry, reply });
  if (!step.ok) return invalidReply(role, index, step.error);
  steps.push(step.value);
  return null;
}

async function failureOf(play: Play, found: Found): Promise<Unplaced> {
  const { steps, request } = play;
  const { transitions } = await explain(request.workflow.payload, await play.context());
  const last = steps.at(-1);
  const after = last === undefined ? null : { role: last.role, output: last.output };
  return { ...found, step: steps.length + 1, after, transitions };
}
