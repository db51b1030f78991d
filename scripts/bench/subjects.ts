import { join } from "node:path";
import type { Subject } from "./measure/index.js";
import type { Runtime } from "./runtimes.js";
import type { BuiltStore } from "./stores/index.js";

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
  const around = { env: { PATH: runtime.folder, HOME: home }, cwd: home, prepare: NOTHING };
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

/** Any other command line of uwf. */
export function uwf(
  name: string,
  { runtime, packages, home }: Surroundings,
  { root }: BuiltStore,
  words: readonly string[],
): Subject {
  const env = {
    PATH: `${runtime.folder}:/usr/bin:/bin`,
    HOME: home,
    UWF_RUNTIME: runtime.kind,
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
  };
  const command = [join(packages, "cli-workflow/bin/uwf"), ...words] as const;
  return { name, command, env, cwd: home, prepare: NOTHING };
}
