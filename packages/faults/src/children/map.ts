import type { Session } from "../frame.js";
import type { Ran, World } from "../world.js";
import {
  ENDED,
  HELD,
  type Item,
  isAgent,
  killedAt,
  openTrees,
  type Plan,
  type Tell,
  teller,
  threadsOf,
  told,
  uwf,
} from "./tree.js";

type Round = {
  readonly world: World;
  readonly thread: string;
  readonly plan: Plan;
  /** Steps that the tree may make before somebody raises it; `null`: no limit. */
  readonly limit: number | null;
  readonly tell: Tell;
};

/** A map, some of whose processes are killed in several steps; then it is stepped to its end. */
export async function mapRound(session: Session, folder: string, plan: Plan): Promise<void> {
  const { random, count } = session;
  const world = await openTrees(folder, plan);
  const limit = random.below(2) === 0 ? null : 1 + random.below(plan.items + 1);
  const words = limit === null ? [] : ["--max-steps", String(limit)];
  const { thread } = await world.json(["thread", "start", "map", "-p", "Do it", ...words]);
  const tell = teller(session, `${JSON.stringify(plan)}, limit ${limit}`);
  const round: Round = { world, thread, plan, limit, tell };
  const seen = endedThreads(round);
  let killedAgents = 0;
  const kills = 1 + random.below(4);
  for (let kill = 0; kill < kills; kill += 1) {
    const at = 1 + random.below(200 + 150 * plan.items);
    const { victim } = await killedAt(world, ["thread", "step", thread, "--wait", "20"], at);
    await seen.look();
    if (victim === null) continue;
    count(`kills of ${victim}`);
    if (isAgent(victim)) killedAgents += 1;
  }
  const last = await toItsEnd(session, round, { killedAgents, look: seen.look });
  if (last?.code !== ENDED) tell("the thread comes to its end", `${last?.code}: ${last?.stderr}`);
  await judge(round, killedAgents);
  count("items mapped", plan.items);
  count("maps to their end");
}

/** What has ended, and where: it stays so. */
function endedThreads({ world, tell }: Pick<Round, "world" | "tell">) {
  const heads = new Map<string, string>();
  const look = async (): Promise<void> => {
    const all = await threadsOf(world);
    for (const [thread, head] of heads) {
      const now = all.find((item) => item.thread === thread);
      if (now?.done !== true || now.head !== head)
        tell("what has ended stays ended", `${thread} ended at ${head} and is now ${JSON.stringify(now)}`);
    }
    for (const { thread, head } of all.filter(({ done }) => done)) heads.set(thread, head);
  };
  return { look };
}

type Watch = { readonly killedAgents: number; readonly look: () => Promise<void> };

/** Each failing item may cost a step; each time that a limit is reached, it is raised. */
async function toItsEnd(
  { count }: Session,
  round: Round,
  { killedAgents, look }: Watch,
): Promise<Ran | null> {
  const { world, thread, plan } = round;
  let allowed = round.limit;
  let last: Ran | null = null;
  const most = 20 + 2 * plan.failing.length + (allowed === null ? 0 : 2 * plan.items);
  for (let turn = 0; turn < most && last?.code !== ENDED; turn += 1) {
    last = await uwf(world, ["thread", "step", thread, "--wait", "20"]);
    await look();
    if (last.code !== HELD || allowed === null) continue;
    const replies = told(world, "reply").length;
    if (replies > allowed + plan.jobs + killedAgents)
      round.tell("a tree exceeds its limit by no more than the runs in flight", `${replies} of ${allowed}`);
    allowed += plan.jobs + 1;
    await world.json(["thread", "limit", thread, "--max-steps", String(allowed)]);
    count("limits reached");
  }
  return last;
}

async function judge({ world, thread, plan, tell }: Round, killedAgents: number): Promise<void> {
  const all: readonly Item[] = await threadsOf(world);
  if (all.length !== plan.items + 1)
    tell("every item has one child", `${all.length} threads for ${plan.items} items`);
  if (all.some(({ done }) => !done)) tell("no child is left active", JSON.stringify(all));
  const { steps } = JSON.parse((await world.uwf(["thread", "steps", thread])).stdout);
  const results = (steps.at(-1)?.output?.results ?? []).map((result: { item?: string }) => result?.item);
  const expected = Array.from({ length: plan.items }, (_, at) => `item-${at}`);
  if (JSON.stringify(results) !== JSON.stringify(expected))
    tell("results come in the order of the items", JSON.stringify(results));
  const repeated = told(world, "reply").length - (plan.items + 1);
  if (repeated > killedAgents)
    tell("no agent that has replied is run again", `${repeated} too many, ${killedAgents} were killed`);
  const verified = await world.uwf(["cas", "verify"]);
  if (verified.code !== 0) tell("the store is whole", verified.stderr);
}
