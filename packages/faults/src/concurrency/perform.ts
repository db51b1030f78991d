import type { Breach } from "../invariants/index.js";
import type { Runtime, World } from "../world/index.js";
import { ended } from "../world/index.js";
import type { Act } from "./types.js";

const STORE_DAMAGED = 7;

/** How one process is run. */
export type Manner = {
  readonly runtime: Runtime;
  /** ms after its start at which it gets SIGKILL, if it still runs; `null` lets it live. */
  readonly killAfter: number | null;
};

export type Performed = {
  readonly outcome: "killed" | "done" | "refused";
  readonly code: number | null;
  readonly breaches: readonly Breach[];
};

/** Runs one act as a process of its own and holds its end against what it may end with. */
export async function perform(world: World, act: Act, { runtime, killAfter }: Manner): Promise<Performed> {
  const began = performance.now();
  const child = world.start(act.args, { env: act.env, runtime });
  // The launcher becomes uwf, so this is uwf; its agent is in a group of its own and lives on.
  const timer = killAfter === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const ran = await ended(child);
  if (timer !== null) clearTimeout(timer);
  const { code, signal, stderr } = ran;
  if (signal === "SIGKILL" && killAfter !== null) return { outcome: "killed", code, breaches: [] };
  if (code === 0) {
    const breaches = act.learn(ran, { began, ended: performance.now() });
    return { outcome: "done", code, breaches };
  }
  const line = `uwf ${act.args.join(" ")} (${runtime}) ended with ${code ?? signal}: ${stderr.trim()}`;
  return { outcome: "refused", code, breaches: codeBreaches(act, code, line) };
}

function codeBreaches(act: Act, code: number | null, line: string): readonly Breach[] {
  if (code !== null && act.allowed.includes(code)) return [];
  if (code === STORE_DAMAGED && act.excuse !== null && line.includes(act.excuse)) return [];
  const promise = code === 3 ? "what exists is never not found" : "a command ends as its table says";
  return [{ promise, evidence: line }];
}
