import { join } from "node:path";
import type { Subject } from "./measure/index.js";
import type { Runtime } from "./runtimes.js";
import type { BuiltMap, BuiltStore } from "./stores/index.js";

/** What the subjects are started with. */
export type Surroundings = {
  readonly runtime: Runtime;
  readonly packages: string;
  /** The trivial agent's launcher. */
  readonly agent: string;
  readonly home: string;
};

const NOTHING = async (): Promise<void> => {};

/** The floors: a program that does nothing, and one that starts it and waits. */
export function floorsOf({ runtime, home }: Surroundings): readonly Subject[] {
  const around = { env: { PATH: runtime.folder, HOME: home }, cwd: home, exitCode: 0, prepare: NOTHING };
  return [
    { name: "empty process", command: runtime.empty, ...around },
    { name: "pair floor", command: runtime.pair, ...around },
  ];
}

/** One whole step with the trivial agent. */
export function stepOf(name: string, around: Surroundings, store: BuiltStore): Subject {
  const words = ["thread", "step", store.thread, "--agent", `'${around.agent}'`];
  return { ...uwf(name, around, store, words), prepare: async () => store.reset() };
}

/** The same by an agent that reports so many turns, each with a tool call. */
export function tracedStepOf(name: string, around: Surroundings, store: BuiltStore, turns: number): Subject {
  const subject = stepOf(name, around, store);
  return { ...subject, env: { ...subject.env, UWF_BENCH_TURNS: String(turns) } };
}

/** A step that starts nothing, since the thread waits or has ended. */
export function answerOf(
  name: string,
  around: Surroundings,
  root: string,
  { thread, exitCode }: { readonly thread: string; readonly exitCode: number },
): Subject {
  return { ...uwf(name, around, { root }, ["thread", "step", thread]), exitCode };
}

/** One step that is a map over child threads, whose agents work for so long. */
export function mapOf(name: string, around: Surroundings, store: BuiltMap, workMs: number): Subject {
  const subject = uwf(name, around, store, ["thread", "step", store.thread]);
  const env = { ...subject.env, UWF_BENCH_WORK_MS: String(workMs) };
  return { ...subject, env, prepare: async () => store.reset() };
}

/** Any other command line of uwf. */
export function uwf(
  name: string,
  { runtime, packages, home }: Surroundings,
  { root }: Pick<BuiltStore, "root">,
  words: readonly string[],
): Subject {
  const env = {
    PATH: `${runtime.folder}:/usr/bin:/bin`,
    HOME: home,
    UWF_RUNTIME: runtime.kind,
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
  };
  const command = [join(packages, "cli-workflow/bin/uwf"), ...words] as const;
  return { name, command, env, cwd: home, exitCode: 0, prepare: NOTHING };
}
