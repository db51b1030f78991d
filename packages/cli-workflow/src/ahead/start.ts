import { existsSync } from "node:fs";
import { ENV } from "@uncaged/workflow-protocol";
import { chosenRoot, pathsOf, readForecast, threadLockPath } from "@uncaged/workflow-store";
import { asThreadId, startWaiting, type Waiting, type WaitingSpec } from "@uncaged/workflow-util";
import type { Host } from "../io/index.js";
import { agentEnvironment, isPlain } from "./environment.js";
import type { Ahead, AheadLine } from "./types.js";

// An agent takes as long to start as uwf itself. Both start at the same time where the last step has left a forecast of
// what the next one runs: a launcher of ours comes up and waits (workflow-util, process/waiting.ts), and the step takes
// it when it has come to the same by the whole way. Nothing of the agent runs before its run is on disk.

export const NOTHING_AHEAD: Ahead = { take: async () => null, drop: async () => {} };

/** Starts what the next step of this line will run, if there is a forecast of it and nobody works on the thread. */
export async function startAhead(line: AheadLine, host: Host): Promise<Ahead> {
  const spec = specOf(line, host);
  const waiting = spec === null ? null : await startWaiting(spec);
  return waiting === null ? NOTHING_AHEAD : holding(waiting);
}

function specOf(line: AheadLine, host: Host): WaitingSpec | null {
  const { env, cwd } = host;
  const root = chosenRoot({ env, cwd, home: env.HOME ?? null });
  const thread = asThreadId(line.thread);
  if (root === null || thread === null) return null;
  const place = { paths: pathsOf(root) };
  const forecast = readForecast(place);
  if (forecast === null || forecast.asked !== line.agent) return null;
  if (existsSync(threadLockPath(place, thread)) || !Object.keys(env).every(isPlain)) return null;
  const run = { ...forecast, root, head: "", token: host.newToken(), isSecret: () => false };
  const { command, args } = forecast;
  return { command, args: [...args, thread], cwd, env: agentEnvironment(env, run) };
}

function holding(waiting: Waiting): Ahead {
  let held: Waiting | null = waiting;
  const give = (): Waiting | null => {
    const given = held;
    held = null;
    return given;
  };
  return {
    take: async (wanted) => {
      const given = give();
      if (given === null || (isFor(given.spec, wanted) && !given.isGone())) return given;
      await given.dismiss();
      return null;
    },
    drop: async () => give()?.dismiss(),
  };
}

function isFor(started: WaitingSpec, wanted: WaitingSpec): boolean {
  return JSON.stringify(comparable(started)) === JSON.stringify(comparable(wanted));
}

function comparable({ command, args, cwd, env }: WaitingSpec): unknown {
  const variables = Object.entries({ ...env, [ENV.head]: "", [ENV.run]: "" }).sort(byName);
  return [command, args, cwd, variables];
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : Number(a > b);
}
