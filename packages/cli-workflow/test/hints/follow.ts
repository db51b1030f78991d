import { expect } from "vitest";
import type { Sandbox } from "../support/uwf.js";
import { commandsIn, filled, type } from "./support.js";

/** A situation in which the hint is printed. */
export type Situation = {
  /** The command line that fails. */
  readonly args: readonly string[];
  /** The exit codes of the commands that the hint names, in its order. */
  readonly codes: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  /** Words before uwf: a program that becomes it. */
  readonly through?: readonly string[];
  /** What the user puts into the places that are his to fill. */
  readonly answers?: Readonly<Record<string, string>>;
  /** The exit code of the same line afterwards, where the hint promises one. */
  readonly after?: number;
  /** Runs between the failure and the hint's commands. */
  readonly meanwhile?: () => void | Promise<void>;
};

/** Faults whose situation needs a remote: workflow-remote/test/uwf/hints.test.ts. */
export const OF_REMOTE = [
  "REMOTE_NOT_SET",
  "THREAD_ON_REMOTE",
  "NOT_ON_REMOTE",
  "WORKER_UNFIT",
  "REMOTE_NOT_READY",
] as const;

/** What a fault is printed as, where another one tells it. */
const TOLD_BY: Readonly<Record<string, string>> = { EXTRACT_FAILED: "AGENT_FAILED" };

/** Brings the fault about, types the commands of its hint, and compares their exit codes. */
export async function followHint(
  box: Sandbox,
  code: string,
  prepare: (box: Sandbox) => Promise<Situation>,
): Promise<void> {
  const { args, codes, answers = {}, after, meanwhile, through = [], env = {} } = await prepare(box);
  const ran = await box.uwf([...args, "--error-format", "json"], { through, env });
  const failure = JSON.parse(ran.stderr.trim().split("\n").at(-1) ?? "");
  expect(failure.code).toBe(TOLD_BY[code] ?? code.split(" ")[0]);
  const commands = commandsIn(failure.hint);
  await meanwhile?.();
  const typed: { readonly command: string; readonly code: number | null; readonly stderr: string }[] = [];
  for (const command of commands) {
    const { code: exit, stderr } = await type(box, filled(command, answers), env);
    typed.push({ command, code: exit, stderr });
  }
  expect(
    typed.map((each) => each.code),
    JSON.stringify(typed, null, 2),
  ).toEqual(codes);
  if (after !== undefined) expect((await box.uwf(args, { env })).code).toBe(after);
}
