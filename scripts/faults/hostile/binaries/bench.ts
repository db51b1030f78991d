import type { Session } from "../../frame/index.js";
import type { Ran, RunOptions, World } from "../../world/index.js";
import { mannersOf } from "../manners/index.js";
import { measured } from "./measure.js";

/** Section 11 of the contract. */
const SLOW_MS = 2_000;
const HANG_MS = 10_000;
const LARGE_MB = 300;
const RETRIES = 3;

/** A world in which every command's manners, time and memory are watched. */
export type Bench = {
  readonly session: Session;
  readonly world: World;
  /** A command that may be repeated: where it takes too long, it is, and only what is slow every time counts. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** A command that changes what the next one does. */
  readonly once: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Says that a promise is broken by this command. */
  readonly broken: (promise: string, args: readonly string[], ran: Ran, seen: string) => void;
  readonly records: Records;
};

/** The highest figures of all rounds. */
export type Records = { slowestMs: number; peakMb: number };

export function openBench(session: Session, world: World, records: Records): Bench {
  const slowMs = session.level === "sample" ? HANG_MS : SLOW_MS;
  const broken: Bench["broken"] = (promise, args, ran, seen) => {
    const said = `exit ${ran.code ?? ran.signal}, stderr ${JSON.stringify(ran.stderr.slice(-600))}`;
    session.broken(promise, `seed ${session.seed}, uwf ${shown(args)}: ${seen}; ${said}`);
  };
  const once: Bench["once"] = async (args, options = {}) => {
    const ran = await measured(world.start(args, options));
    session.count("commands of real binaries");
    records.slowestMs = Math.max(records.slowestMs, ran.ms);
    records.peakMb = Math.max(records.peakMb, ran.peakMb);
    for (const wrong of mannersOf(args, ran))
      broken("hostile input is answered with manners", args, ran, wrong);
    if (ran.peakMb > LARGE_MB) broken("nothing takes more than 300 MB", args, ran, `${ran.peakMb} MB`);
    return ran;
  };
  const run: Bench["run"] = async (args, options = {}) => {
    const first = await measuredOnce(() => once(args, options));
    let best = first.ms;
    for (let retry = 0; best > slowMs && retry < RETRIES; retry += 1) {
      best = Math.min(best, (await measuredOnce(() => once(args, options))).ms);
    }
    if (best > slowMs) broken("nothing takes more than 2 s", args, first.ran, `${best} ms at best`);
    return first.ran;
  };
  return { session, world, run, once, broken, records };
}

async function measuredOnce(start: () => Promise<Ran>): Promise<{ readonly ran: Ran; readonly ms: number }> {
  const started = Date.now();
  const ran = await start();
  return { ran, ms: Date.now() - started };
}

function shown(args: readonly string[]): string {
  return args.map((word) => JSON.stringify(word.length > 120 ? `${word.slice(0, 120)}…` : word)).join(" ");
}
