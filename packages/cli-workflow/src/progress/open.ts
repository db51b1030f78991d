import type { StepDeps, StepWatch } from "@uncaged/workflow-engine";
import type { Screen } from "../screen/index.js";
import { openEvents } from "./events.js";
import { openRecorder } from "./facts.js";
import { openLive } from "./live.js";
import { openPlain } from "./plain.js";
import { type Progress, type Shown, UNSAID, type WatchedDeps } from "./types.js";

type Command = {
  /** `run` says in a pipe too that it goes on. */
  readonly name: "step" | "run";
  readonly thread: string;
  readonly shown: Shown;
};

/** The screen of the person who reads stderr; `null`: a program does. */
type Reader = { readonly watcher: () => Screen | null };

/** Chooses by what was asked for, and by who reads stderr. */
export function openProgress(context: Reader, deps: WatchedDeps, { name, thread, shown }: Command): Progress {
  if (shown === "events") return openEvents(deps);
  if (shown === "quiet") return openSilent(deps, null);
  const watcher = context.watcher();
  if (watcher !== null) return openLive(deps, () => context.watcher() ?? watcher);
  return name === "run" ? openPlain(deps, thread) : openSilent(deps, deps.live ? deps.host.stderr : null);
}

/** Says nothing of its own. */
function openSilent(deps: StepDeps, output: ReturnType<StepWatch["agent"]>["output"]): Progress {
  const recorder = openRecorder(deps.storage);
  const watch: StepWatch = { ...recorder.watch, agent: () => ({ output, end: () => {} }) };
  return { ...UNSAID, begin: () => ({ ...deps, watch }), end: () => recorder.take() };
}
