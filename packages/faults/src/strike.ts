import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import type { Kind, Session, Tell } from "./frame.js";
import { type Act, type Call, injected, quiet, readCalls } from "./inject.js";
import type { Stage, Tale } from "./story.js";
import { copyWorld, type Ran, type World } from "./world.js";

/** Something that happens to one call of a stage. */
export type Blow = {
  readonly stage: Stage;
  readonly call: Call;
  readonly act: Act;
  /** A description that is enough to repeat it. */
  readonly name: string;
};

/** What a command came to whose call was struck, when no process of it is left. */
export type Struck = {
  readonly blow: Blow;
  readonly world: World;
  readonly ran: Ran;
  /** Of the struck command. */
  readonly calls: readonly Call[];
  /** The number of the round. */
  readonly index: number;
  readonly tell: Tell;
};

type Striking = Pick<Kind, "name" | "title" | "sampleRounds" | "weight"> & {
  /** What can happen to a call. */
  readonly actsAt: (stage: Stage, call: Call) => readonly Act[];
  readonly judge: (session: Session, struck: Struck) => Promise<void>;
};

export type StrikeOptions = {
  readonly tell: Tale;
  /** A planted bug of plants.mjs, which must be found. */
  readonly plant: string | null;
  readonly choose: (session: Session, blows: readonly Blow[]) => readonly Blow[];
};

/** A kind that tells a story once, and then runs each of its commands again with one of its calls struck. */
export function strikingKind(striking: Striking, { tell: tale, plant, choose }: StrikeOptions): Kind {
  const { actsAt, judge, ...kind } = striking;
  const run = async (session: Session): Promise<void> => {
    const stages = await tale(join(session.folder, "story"), plant);
    const blows = stages.flatMap((stage) =>
      stage.calls
        .filter(({ name }) => name !== "exit")
        .flatMap((call) => actsAt(stage, call).map((act) => blowOf(stage, call, act))),
    );
    session.count("calls that can be struck", blows.length);
    for (const [index, blow] of choose(session, blows).entries()) {
      if (!session.more(index)) return;
      const { stage, call, act } = blow;
      const world = copyWorld(stage.before, join(session.folder, "struck"), "node");
      const tell: Tell = (promise, evidence) =>
        session.broken(promise, `seed ${session.seed}, ${blow.name}: ${evidence}`);
      const log = join(world.folder, "calls");
      await stage.meanwhile?.(world);
      const env = injected({ role: call.role, n: call.n, act }, { log, plant });
      const ran = await world.uwf(stage.line(world), { env });
      await quiet(world);
      await judge(session, { blow, world, ran, calls: readCalls(log), index, tell });
      rmSync(world.folder, { recursive: true, force: true });
    }
  };
  return { ...kind, run };
}

function blowOf(stage: Stage, call: Call, act: Act): Blow {
  const { name, role, n, path } = call;
  const at = `${act} at call ${n} of ${role} (${name} ${relative(stage.root, path)})`;
  return { stage, call, act, name: `${stage.name}: ${at}` };
}
