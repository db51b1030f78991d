import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import type { Session } from "../../frame.js";

const PROTOTYPES: readonly (readonly [string, object])[] = [
  ["Object.prototype", Object.prototype],
  ["Array.prototype", Array.prototype],
  ["Function.prototype", Function.prototype],
  ["String.prototype", String.prototype],
  ["Number.prototype", Number.prototype],
  ["Promise.prototype", Promise.prototype],
  ["RegExp.prototype", RegExp.prototype],
  ["Map.prototype", Map.prototype],
  ["Object", Object],
];

/** Remembers the prototypes as they are now; `changed` names what was added, taken or replaced since. */
function prototypeMarks(): { readonly changed: () => string | null } {
  const before = PROTOTYPES.map(([name, object]) => ({ name, object, members: membersOf(object) }));
  const changed = (): string | null => {
    for (const { name, object, members } of before) {
      const added = Reflect.ownKeys(object).find((key) => !members.has(key));
      if (added !== undefined) return `${name} got the member ${String(added)}`;
      for (const [key, value] of members) {
        if (memberAt(object, key) !== value) return `${name} has another ${String(key)}`;
      }
    }
    return null;
  };
  return { changed };
}

function membersOf(object: object): ReadonlyMap<PropertyKey, unknown> {
  return new Map(Reflect.ownKeys(object).map((key) => [key, memberAt(object, key)]));
}

/** Getters are compared, not called. */
function memberAt(object: object, key: PropertyKey): unknown {
  const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
  return descriptor?.get ?? descriptor?.value;
}

/** What a run of many cases came to. */
type BatchReport = {
  readonly cases: number;
  /** Of the slowest case, processor time in ms. */
  readonly slowestMs: number;
  /** The shrunken counterexample with what was wrong; `null` when every case held. */
  readonly failure: string | null;
};

/** Cases of one kind of input, tried in this process. */
type Batch = (seed: number, cases: number) => Promise<BatchReport>;

type Desk = {
  /** Empty and this subject's own. */
  readonly folder: string;
  /** A case that takes longer again and again is a violation. */
  readonly slowMs: number;
};

export type Subject = {
  /** The figure of the report. */
  readonly name: string;
  /** Cases of the sample, which take a second or two together. */
  readonly sample: number;
  /** Cases of one batch of a full run. */
  readonly batch: number;
  /** Its part of the time, relative to the others. */
  readonly weight: number;
  /** Makes what the cases need. */
  readonly open: (desk: Desk) => Promise<Batch>;
};

/** Only what is slow again and again counts. */
const RETRIES = 3;

/** So much of a counterexample is told. */
const EVIDENCE_CHARACTERS = 1_500;

/** One case: throws, with a sentence, when a promise is broken. */
type Attempt<Input> = (input: Input) => unknown;

/** Cases drawn from `inputs`; each within the time, and after each the prototypes are as they were. */
export function batchOf<Input>(inputs: fc.Arbitrary<Input>, slowMs: number, attempt: Attempt<Input>): Batch {
  return async (seed, cases) => {
    let slowestMs = 0;
    const marks = prototypeMarks();
    const property = fc.asyncProperty(inputs, async (input) => {
      const ms = await timed(attempt, input, slowMs);
      slowestMs = Math.max(slowestMs, ms);
      const changed = marks.changed();
      if (changed !== null) throw new Error(changed);
    });
    const details = await fc.check(property, { seed, numRuns: cases });
    const failure = details.failed ? evidence(details) : null;
    return { cases: details.numRuns, slowestMs: Math.round(slowestMs), failure };
  };
}

/** Gives the processor time in ms, the best of several where the first was too long. */
async function timed<Input>(attempt: Attempt<Input>, input: Input, slowMs: number): Promise<number> {
  let best = await once(attempt, input);
  for (let retry = 0; best > slowMs && retry < RETRIES; retry += 1) {
    best = Math.min(best, await once(attempt, input));
  }
  if (best > slowMs)
    throw new Error(`it takes ${Math.round(best)} ms, ${RETRIES + 1} times out of ${RETRIES + 1}`);
  return best;
}

async function once<Input>(attempt: Attempt<Input>, input: Input): Promise<number> {
  // Processor time: how busy the machine is with other things is no fault of the case.
  const before = process.cpuUsage();
  await attempt(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function evidence<Input>({ seed, counterexample, errorInstance }: fc.RunDetails<Input>): string {
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${shortened(cause)}\nseed ${seed}: ${shortened(fc.stringify(counterexample))}`;
}

function shortened(text: string): string {
  return text.length > EVIDENCE_CHARACTERS ? `${text.slice(0, EVIDENCE_CHARACTERS)}…` : text;
}

/** A batch that says nothing for so long hangs. */
const SILENCE_MS = 120_000;

const PROMISE = "hostile input is judged within its bounds";

type Line = { readonly seed: number; readonly peakMb?: number } & Partial<BatchReport>;

/** The sample of a subject, in this process; hangs are the test's own limit to find. */
export async function sampleSubject(session: Session, subject: Subject, folder: string): Promise<void> {
  const batch = await subject.open({ folder, slowMs: 10_000 });
  tell(session, subject, await batch(session.seed, subject.sample));
}

/** Batches of a subject until the deadline, in a bun of its own. */
export async function driveSubject(session: Session, subject: Subject, span: Span): Promise<void> {
  const { folder, deadline, slowMs } = span;
  const seed = session.random.below(2 ** 30);
  const words = [folder, subject.name, seed, deadline, slowMs].map(String);
  const child = spawn(process.execPath, [join(import.meta.dirname, "worker.ts"), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let open: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  const listen = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
  };
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  listen();
  for await (const text of createInterface({ input: child.stdout })) {
    listen();
    const line: Line = JSON.parse(text);
    open = line.cases === undefined ? line.seed : null;
    if (line.cases !== undefined) tell(session, subject, line as BatchReport);
  }
  clearTimeout(timer);
  const code = await ended;
  if (code !== 0 || open !== null) {
    session.broken(
      PROMISE,
      `${subject.name}: a batch of ${subject.batch} with seed ${open} ended with ${code}`,
    );
  }
}

type Span = { readonly folder: string; readonly deadline: number; readonly slowMs: number };

function tell(session: Session, { name }: Subject, report: BatchReport): void {
  session.count(name, report.cases);
  if (report.failure !== null) session.broken(PROMISE, `${name}: ${report.failure}`);
}
