import { startsOf, survive } from "./aftermath.js";
import type { Kind, Session } from "./frame.js";
import { type Act, type Call, shuffled, spread } from "./inject.js";
import { readLedger } from "./invariants.js";
import { type Stage, tellStory } from "./story.js";
import { type Blow, type StrikeOptions, type Struck, strikingKind } from "./strike.js";

/** How uwf starts the evaluator process. */
const EVALUATOR = /evaluator\)?\.serve\(\)/;

/**
 * Every crash point that leaves another state: before each call that changes something, and after the last one; for an
 * agent's calls alone and together with its uwf. A crash before a read leaves the same state as one before the next
 * change.
 */
function killsAt({ calls, roles }: Stage, { role, n, name, to }: Call): readonly Act[] {
  if (!roles.includes(role)) return [];
  const isLast = !calls.some((other) => other.name !== "exit" && other.role === role && other.n === n + 1);
  // A started process is independent, so there is another crash point right after that call.
  const after: readonly Act[] = isLast || name === "spawn" ? ["kill-after"] : [];
  if (role === "agent") return ["kill-before", "kill-both", ...after];
  const child: readonly Act[] = name === "spawn" && EVALUATOR.test(to ?? "") ? ["kill-child"] : [];
  return ["kill-before", ...after, ...child];
}

function victimOf({ act, call }: Blow): string {
  if (act === "kill-child") return "the evaluator";
  return act === "kill-both" ? "both" : call.role;
}

/** How many of each victim the sample kills. */
const SAMPLE = { uwf: 6, agent: 2, both: 2, "the evaluator": 1 } as const;

/** After every n-th crash the read-only commands are real processes, otherwise they run in this one. */
const THOROUGH = 8;

/** Kills at every point of a whole story, and checks that it can continue. */
export const crash = crashWith({
  tell: tellStory,
  plant: null,
  choose: ({ level, random }, blows) => (level === "sample" ? sampleOf(blows) : shuffled(random, blows)),
});

function sampleOf(blows: readonly Blow[]): readonly Blow[] {
  // A kill of a running agent makes a different number of calls each time.
  const fixed = blows.filter(({ stage }) => stage.meanwhile === null);
  return Object.entries(SAMPLE).flatMap(([victim, size]) =>
    spread(
      fixed.filter((blow) => victimOf(blow) === victim),
      size,
    ),
  );
}

export function crashWith(options: StrikeOptions): Kind {
  const kind = {
    name: "crash",
    title: "SIGKILL of uwf, of the agent, or of both, at every call of a whole story that changes something",
    sampleRounds: Object.values(SAMPLE).reduce((sum, size) => sum + size, 0),
    weight: 8,
  };
  return strikingKind({ ...kind, actsAt: killsAt, judge }, options);
}

async function judge({ count }: Session, { blow, world, ran, calls, index, tell }: Struck): Promise<void> {
  const { stage } = blow;
  const died = calls.some(({ outcome }) => outcome === "killed");
  count(`kills of ${victimOf(blow)}`, died ? 1 : 0);
  if (!died && stage.meanwhile === null)
    tell("every call that was counted can be died at", `nothing was killed: ${ran.stderr}`);
  // The step of an agent that wrote its result before it died.
  const isPrinted = calls.some(
    ({ role, name, path, outcome }) =>
      role === "agent" && name === "write" && path === "stdout" && outcome === "done",
  );
  const printed = readLedger(world.ledger)
    .slice(isPrinted ? -1 : Number.POSITIVE_INFINITY)
    .map(({ thread, head }) => ({ thread, head, starts: startsOf(world, thread, head) }));
  await survive(world, { stage, printed, told: ran.stdout, thorough: index % THOROUGH === 0 }, tell);
}
