import { ENV } from "@uncaged/workflow-protocol";
import {
  chosenRoot,
  type Forecast,
  type ForecastPlace,
  parseForecast,
  pathsOf,
  type Stamp,
  threadLockPath,
} from "@uncaged/workflow-store";
import { asThreadId, startLauncher, type Waiting, type WaitingSpec } from "@uncaged/workflow-util";
import type { Host } from "../io/index.js";
import { agentEnvironment, isPlain } from "./environment.js";
import { stampOf, textOf } from "./peek.js";
import type { Ahead, AheadLine } from "./types.js";

// An agent takes as long to start as uwf itself. Both start at the same time where the last step has left a forecast of
// what the next one runs: a launcher of ours comes up and waits (workflow-util, process/waiting.ts), and the step takes
// it when it has come to the same by the whole way. Nothing of the agent runs before its run is on disk. As a rule
// nothing here makes bun load node:fs or node:path: that would take as long as the rest.

export const NOTHING_AHEAD: Ahead = { take: async () => null, drop: async () => {} };

/** What is known of the process before anything else of uwf is loaded. */
type AheadHost = Pick<Host, "env" | "cwd" | "newToken">;

/** Starts what the next step of this line will run, if there is a forecast of it and nobody works on the thread. */
export async function startAhead(line: AheadLine, host: AheadHost): Promise<Ahead> {
  const spec = specOf(line, host);
  const waiting = spec === null ? null : await startLauncher(spec);
  return waiting === null ? NOTHING_AHEAD : holding(waiting);
}

function specOf(line: AheadLine, { env, cwd, newToken }: AheadHost): WaitingSpec | null {
  const root = chosenRoot({ env, cwd, home: env.HOME ?? null });
  const thread = asThreadId(line.thread);
  if (root === null || thread === null) return null;
  const place = { paths: pathsOf(root) };
  const forecast = forecastIn(place);
  if (forecast === null || forecast.asked !== line.agent || !Object.keys(env).every(isPlain)) return null;
  if (stampOf(threadLockPath(place, thread)) !== null) return null;
  const run = { ...forecast, root, head: "", token: newToken(), isSecret: () => false };
  const { command, args } = forecast;
  return { command, args: [...args, thread], cwd, env: agentEnvironment(env, run) };
}

/** `null` also when the launcher or config.yaml is not the file any more that it was. */
function forecastIn({ paths }: ForecastPlace): Forecast | null {
  const text = textOf(paths.forecast);
  const forecast = text === null ? null : parseForecast(text);
  if (forecast === null) return null;
  const { command, launcher, config } = forecast;
  return isStill(launcher, command) && isStill(config, paths.config) ? forecast : null;
}

function isStill(was: Stamp | null, path: string): boolean {
  const is = stampOf(path);
  return is?.size === was?.size && is?.modified === was?.modified;
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
