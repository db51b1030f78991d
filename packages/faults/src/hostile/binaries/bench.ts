import type { Session } from "../../frame/index.js";
import type { Ran, RunOptions, World } from "../../world/index.js";
import { mannersOf } from "../manners/index.js";
import { type Cost, measured } from "./measure.js";

/** Section 11 of the contract, in processor time: how busy the machine is with other things is no fault of ours. */
const SLOW_MS = 2_000;
const SLOW_IN_SAMPLE_MS = 10_000;

/** Wall clock: nobody works any more. */
const HANG_MS = 60_000;

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
  const slowMs = session.level === "sample" ? SLOW_IN_SAMPLE_MS : SLOW_MS;
  const broken: Bench["broken"] = (promise, args, ran, seen) => {
    const said = `exit ${ran.code ?? ran.signal}, stderr ${JSON.stringify(ran.stderr.slice(-600))}`;
    session.broken(promise, `seed ${session.seed}, uwf ${shown(args)}: ${seen}; ${said}`);
  };
  const once = async (args: readonly string[], options: RunOptions = {}): Promise<Ran & Cost> => {
    const ran = await measured(world.start(args, options));
    session.count("commands of real binaries");
    records.slowestMs = Math.max(records.slowestMs, ran.cpuMs);
    records.peakMb = Math.max(records.peakMb, ran.peakMb);
    for (const wrong of mannersOf(args, ran))
      broken("hostile input is answered with manners", args, ran, wrong);
    if (ran.peakMb > LARGE_MB) broken("nothing takes more than 300 MB", args, ran, `${ran.peakMb} MB`);
    if (ran.ms > HANG_MS) broken("nothing hangs", args, ran, `${ran.ms} ms`);
    return ran;
  };
  const run: Bench["run"] = async (args, options = {}) => {
    const first = await once(args, options);
    let best = first.cpuMs;
    for (let retry = 0; best > slowMs && retry < RETRIES; retry += 1) {
      best = Math.min(best, (await once(args, options)).cpuMs);
    }
    if (best > slowMs) broken("nothing takes more than 2 s", args, first, `${best} ms at best`);
    return first;
  };
  return { session, world, run, once, broken, records };
}

function shown(args: readonly string[]): string {
  return args.map((word) => JSON.stringify(word.length > 120 ? `${word.slice(0, 120)}…` : word)).join(" ");
}
