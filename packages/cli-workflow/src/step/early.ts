import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import { draftRun, findRuns, type RunDraft, removeDraft } from "@uncaged/workflow-store";
import { canWait, resolveCommand, startWaiting, type Waiting } from "@uncaged/workflow-util";
import type { Configured } from "./configure.js";
import { environmentOf } from "./environment.js";
import { agentOfAnyRole } from "./plan.js";
import type { AgentCommand, StepDeps, StepRequest } from "./types.js";

// An agent's runtime takes longer to start than a step takes to decide, so a launcher of ours is started before: it waits,
// and nothing of the agent runs until its run is on disk. Every other agent is started in turn.

/** What a run of this agent needs, as far as it is known before the decision. */
type EarlyRoad = Pick<StepDeps, "host" | "storage"> &
  Pick<Configured, "keyNames" | "redactor"> & { readonly thread: ThreadId; readonly head: CasRef };

/** A run that has its draft and its waiting process. */
export type Foreseen = {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly draft: RunDraft;
  readonly waiting: Waiting;
};

/** What was started before the decision. */
export type Early = {
  /** For the run that was foreseen, once; `null`, and nothing waits any more, for one of another command. */
  readonly take: (agent: AgentCommand, command: string) => Promise<Foreseen | null>;
  /** Lets go what nobody took. */
  readonly drop: () => Promise<void>;
};

export const NOTHING_EARLY: Early = { take: async () => null, drop: async () => {} };

/** Starts the agent that runs whatever the role will be, if there is one and no earlier run has to be looked at. */
export async function startEarly(
  road: EarlyRoad & Pick<Configured, "config">,
  request: StepRequest,
): Promise<Early> {
  const agent = agentOfAnyRole(request, road.config);
  const first = agent !== null && hasNoRuns(road);
  let waiting = first ? await foreseeFound(road, agent) : null;
  const give = (): Foreseen | null => {
    const given = waiting;
    waiting = null;
    return given;
  };
  return {
    take: async (wanted, command) => {
      const foreseen = give();
      if (foreseen === null || agent === null) return null;
      if (isSame(agent, wanted) && foreseen.command === command) return foreseen;
      await letGo(foreseen);
      return null;
    },
    drop: async () => {
      const foreseen = give();
      if (foreseen !== null) await letGo(foreseen);
    },
  };
}

/** The draft of a run whose process waits; `null` where that cannot be: then the run is made and started in turn. */
export async function foresee(
  road: EarlyRoad,
  agent: AgentCommand,
  command: string,
): Promise<Foreseen | null> {
  const { host, storage, thread } = road;
  if (!canWait(command)) return null;
  const draft = draftRun(storage, thread, host.newToken());
  if (!draft.ok) return null;
  const { stdout, stderr, run } = draft.value;
  const env = environmentOf(road, agent, run.token);
  const waiting = await startWaiting({
    command,
    args: [...agent.args, thread],
    cwd: host.cwd,
    env,
    stdout: { kind: "file", path: stdout },
    stderr: { kind: "file", path: stderr },
  });
  if (waiting !== null) return { command, env, draft: draft.value, waiting };
  removeDraft(draft.value);
  return null;
}

/** Its process ends without having been an agent, its folder goes. */
export async function letGo({ waiting, draft }: Foreseen): Promise<void> {
  await waiting.dismiss();
  removeDraft(draft);
}

function hasNoRuns({ storage, thread }: EarlyRoad): boolean {
  const runs = findRuns(storage, thread);
  return runs.ok && runs.value.length === 0;
}

async function foreseeFound(road: EarlyRoad, agent: AgentCommand): Promise<Foreseen | null> {
  const { env, cwd } = road.host;
  const command = resolveCommand(agent.program, { path: env.PATH ?? "", cwd });
  return command.ok ? foresee(road, agent, command.value) : null;
}

/** All that the waiting process was started with; limits and retries are not its concern. */
function isSame(a: AgentCommand, b: AgentCommand): boolean {
  return a.program === b.program && a.resume === b.resume && isList(a.args, b.args) && isList(a.env, b.env);
}

function isList(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((word, index) => word === b[index]);
}
