import {
  err,
  type Fault,
  type ModeratorContext,
  messageOf,
  ok,
  type Result,
  type StepContext,
} from "@uncaged/workflow-protocol";
import { childPipe, runChild } from "@uncaged/workflow-util";
import {
  type Compiled,
  isBoolean,
  loadEvaluatorUrl,
  loadJsonata,
  type Meter,
  type NextRequest,
  type Observation,
  run,
  type ServeAnswer,
  sentenceOf,
} from "./engine/index.js";
import { bannedSentence, hasRegex, parseExpression } from "./expression.js";
import { answerIn, createMemoryWatch, evaluateIsolated, evaluatorSpec } from "./isolated.js";

export type JsonValue = StepContext["output"];

/** Whether an expression is evaluated in this process: what asks it of many steps starts no other one. */
export async function isPlainCondition(expression: string): Promise<boolean> {
  const parsed = parseExpression(await loadJsonata(), expression);
  return parsed.ok && parsed.value.isPlain;
}

/**
 * Evaluates an expression over the context without changing it. What it makes is counted, so every runtime ends it at the
 * same place. `undefined`: no value, or a function. The error is a sentence.
 */
export async function evaluateCondition(
  expression: string,
  context: ModeratorContext,
): Promise<Result<JsonValue | undefined, string>> {
  const observed = await observeCondition(expression, context);
  if (!observed.ok)
    return err(typeof observed.error === "string" ? observed.error : messageOf(observed.error));
  const { json } = observed.value;
  return ok(json === null ? undefined : (JSON.parse(json) as JsonValue));
}

/**
 * The same with the missing paths that the expression read, if it did not give `true` or `false`. An error of the system
 * is a fault: it is not the expression's. `meter` counts what it costs.
 */
export async function observeCondition(
  expression: string,
  context: ModeratorContext,
  meter: Meter | null = null,
): Promise<Result<Observation, string | Fault>> {
  const jsonata = await loadJsonata();
  const parsed = parseExpression(jsonata, expression, meter);
  if (!parsed.ok) return parsed;
  const { ast, banned, compiled } = parsed.value;
  if (banned !== null) return err(bannedSentence(banned));
  if (!parsed.value.isPlain) return evaluateIsolated({ expression, regex: hasRegex(ast) }, context, meter);
  return evaluateHere(compiled, context);
}

/** Tracing costs time, so it needs a second evaluation, only when there is something to explain. */
async function evaluateHere(
  compiled: Compiled,
  context: ModeratorContext,
): Promise<Result<Observation, string>> {
  compileSoonFor(context.steps.length);
  try {
    const first = await run(compiled, context, false);
    return ok(isBoolean(first) ? first : await run(compiled, context, true));
  } catch (error) {
    const reason = sentenceOf(error);
    // Not the expression's error: a getter of the context threw it.
    if (reason === null) throw error;
    return err(reason);
  }
}

type Engine = { readonly Bun?: { readonly unsafe?: { readonly setJITPolicy?: (scale: number) => void } } };

/** From this many steps compiling jsonata's code pays off (measured on bun 1.4). */
const MANY = 1_000;

/** Resets the JIT thresholds of bun's engine: our launchers raise them, since most runs are too short to gain. */
export function compileSoonFor(steps: number): void {
  if (steps >= MANY) (globalThis as Engine).Bun?.unsafe?.setJITPolicy?.(1);
}

// Many decisions in a row, as a test of a workflow makes them: one evaluator process for all of them, instead of one for
// each expression that is not plain. Only `true` and `false` are taken from it: what gives anything else, takes too long or
// ends the process is asked again the usual way, so values and faults are the same.

export type Observe = (expression: string, context: ModeratorContext) => ReturnType<typeof observeCondition>;

export type EvaluationSession = {
  readonly observe: Observe;
  /** What all evaluations have cost so far, in steps of evaluation, the same on every runtime and machine. */
  readonly cost: () => number;
  /** The process is gone then. */
  readonly close: () => Promise<void>;
};

const BOUNDS = {
  memoryMib: 512,
  /** Of processor time, for all requests together: it ends even if we die. */
  seconds: 600,
  /** Wall clock, for one request. */
  patienceMs: 2_000,
};

export function openEvaluationSession(): EvaluationSession {
  let process: Evaluator | null = null;
  const meter: Meter = { cost: 0 };
  const observe: Observe = async (expression, context) => {
    const request = await requestFor(expression, context);
    if (request === null) return observeCondition(expression, context, meter);
    process ??= await startEvaluator();
    const answer = await process.ask(request, context.steps);
    // Without an answer nothing is counted: whether it comes in time depends on the machine, and it is asked again.
    meter.cost += answer?.cost ?? 0;
    if (answer?.ok === true && isBoolean(answer.observation)) return { ok: true, value: answer.observation };
    if (process.isGone()) process = null;
    return observeCondition(expression, context, meter);
  };
  return { observe, cost: () => meter.cost, close: async () => process?.close() };
}

type Request = Omit<NextRequest, "kept" | "steps">;

/** `null`: it needs no process of its own, or cannot be evaluated. */
async function requestFor(expression: string, context: ModeratorContext): Promise<Request | null> {
  const parsed = parseExpression(await loadJsonata(), expression);
  if (!parsed.ok) return null;
  const { ast, isPlain } = parsed.value;
  return isPlain ? null : { expression, regex: hasRegex(ast), start: context.start };
}

type Evaluator = {
  /** `null`: no answer. */
  readonly ask: (request: Request, steps: readonly StepContext[]) => Promise<ServeAnswer | null>;
  readonly isGone: () => boolean;
  readonly close: () => Promise<void>;
};

async function startEvaluator(): Promise<Evaluator> {
  const pipe = childPipe();
  const ending = new AbortController();
  const end = (): void => ending.abort("SIGKILL");
  const memory = createMemoryWatch(BOUNDS.memoryMib * 1024, end);
  let sent: readonly StepContext[] = [];
  let gone = false;
  let hear: (answer: ServeAnswer | null) => void = () => {};
  const onLine = (line: string): void => {
    if (/^\d+$/.test(line)) memory.watch(Number(line));
    else hear(answerIn(`${line}\n`));
  };
  const spec = evaluatorSpec({ url: await loadEvaluatorUrl(), call: "serveMany", bounds: BOUNDS, onLine });
  const limits = { timeoutMs: null, idleMs: null, graceMs: 0 };
  const run = runChild({ ...spec, stdin: pipe.stdin, limits, abort: ending.signal }).then(() => {
    memory.stop();
    gone = true;
    hear(null);
  });
  return {
    ask: async (request, steps) => {
      if (gone) return null;
      const kept = commonLength(sent, steps);
      const next: NextRequest = { ...request, kept, steps: steps.slice(kept) };
      // A getter of a damaged output throws here, before anything is sent to the process.
      const line = `${JSON.stringify(next)}\n`;
      sent = [...steps];
      return new Promise<ServeAnswer | null>((resolve) => {
        const timer = setTimeout(end, BOUNDS.patienceMs);
        hear = (heard) => {
          clearTimeout(timer);
          resolve(heard);
        };
        pipe.write(line);
      });
    },
    isGone: () => gone,
    close: async () => {
      pipe.end();
      await run;
    },
  };
}

/** How many of the first steps are the same. */
function commonLength(a: readonly StepContext[], b: readonly StepContext[]): number {
  const different = a.findIndex((step, index) => step !== b[index]);
  return different === -1 ? Math.min(a.length, b.length) : different;
}
