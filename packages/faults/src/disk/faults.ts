import { relative } from "node:path";
import {
  type Act,
  type Call,
  ERRNOS,
  type Errno,
  injected,
  quiet,
  type Role,
  readCalls,
  type Syscall,
  traced,
} from "../inject/index.js";
import type { Stage, StageOnBun } from "../story/index.js";
import type { Ran, World } from "../world/index.js";

/** One call that the system refuses, or takes only a part of. */
export type Refusal = {
  readonly stage: Stage;
  readonly role: Role;
  readonly act: Act;
  readonly call: Pick<Call, "name" | "path">;
  /** In words: enough to repeat it. */
  readonly name: string;
  /** Runs the stage's command in the world before it. `reached`: the call came, and was refused. */
  readonly attempt: (world: World) => Promise<{ readonly ran: Ran; readonly reached: boolean }>;
};

/** First every call with one of the things that can be wrong with it, then every call with the next. */
export type Rounds = readonly (readonly Refusal[])[];

/** Everything that can be wrong with a call. */
export const ACTS: readonly Act[] = ["short", ...ERRNOS];

export type Surroundings = { readonly log: (world: World) => string; readonly plant: string | null };

/** Every call of Node.js that changes something, with everything that can be wrong with it. */
export function refusalsOf(stages: readonly Stage[], surroundings: Surroundings): Rounds {
  const alone = stages.filter(({ meanwhile }) => meanwhile === null);
  const makers = alone.flatMap((stage) =>
    stage.calls
      .filter(({ name }) => name !== "kill" && name !== "exit")
      .map((call) => ({
        acts: actsOn(call),
        make: (act: Act) => refusalOf(stage, call, act, surroundings),
      })),
  );
  return inRounds(makers);
}

/** The same in processes of bun, where the kernel is what refuses; strace cannot cut a write short. */
export function syscallRefusalsOf(stages: readonly StageOnBun[]): Rounds {
  const alone = stages.filter(({ stage }) => stage.meanwhile === null);
  const makers = alone.flatMap((on) =>
    on.calls
      .filter(({ name }) => name !== "vfork")
      .map((call) => ({ acts: ERRNOS, make: (act: Errno) => syscallRefusalOf(on, call, act) })),
  );
  return inRounds(makers);
}

type Maker<A> = { readonly acts: readonly A[]; readonly make: (act: A) => Refusal };

/** What stands first among a call's faults changes from call to call: each round has some of everything. */
function inRounds<A>(makers: readonly Maker<A>[]): Rounds {
  return Array.from({ length: ACTS.length }, (_, round) =>
    makers.flatMap(({ acts, make }, index) => {
      const act = acts[(index + round) % acts.length];
      return act === undefined || round >= acts.length ? [] : [make(act)];
    }),
  );
}

function actsOn({ name }: Call): readonly Act[] {
  if (name === "spawn") return ["EMFILE", "EACCES"];
  return name === "write" ? ACTS : ERRNOS;
}

function refusalOf(stage: Stage, call: Call, act: Act, { log, plant }: Surroundings): Refusal {
  const { role, n } = call;
  const attempt: Refusal["attempt"] = async (world) => {
    const env = injected({ role, n, act }, { log: log(world), plant });
    const ran = await world.uwf(stage.line(world), { env });
    await quiet(world);
    const reached = readCalls(log(world)).some((each) => each.role === role && each.n === n);
    return { ran, reached };
  };
  const path = relative(stage.root, call.path);
  const name = `${stage.name}: ${act} for call ${n} of ${role} on Node.js (${call.name} ${path})`;
  return { stage, role, act, call, name, attempt };
}

function syscallRefusalOf({ stage, role }: StageOnBun, call: Syscall, act: Errno): Refusal {
  const attempt: Refusal["attempt"] = async (world) => {
    const trace = { role, injection: { call, effect: `error=${act}` }, both: false } as const;
    const { ran, refused } = await traced(world, stage.line(world), trace);
    return { ran, reached: refused };
  };
  const name = `${stage.name}: ${act} for ${call.name} ${call.n} of ${role} on bun (${call.text.slice(0, 200)})`;
  return { stage, role, act, call, name, attempt };
}
