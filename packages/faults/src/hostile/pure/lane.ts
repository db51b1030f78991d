import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Session } from "../../frame/index.js";
import type { BatchReport, Subject } from "./types.js";

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

export type Span = { readonly folder: string; readonly deadline: number; readonly slowMs: number };

function tell(session: Session, { name }: Subject, report: BatchReport): void {
  session.count(name, report.cases);
  if (report.failure !== null) session.broken(PROMISE, `${name}: ${report.failure}`);
}
