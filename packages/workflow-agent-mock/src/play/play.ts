import type { AgentContext, AgentDefinition, AgentReply } from "@uncaged/workflow-agent-kit";
import type { Entry } from "../scenario/index.js";
import { chooseEntry } from "./choose.js";
import { openScenario } from "./open.js";
import { correct, facts, lose } from "./session.js";
import { withHashes } from "./texts.js";
import type { Stage } from "./types.js";

/** The two functions of the agent: an entry is played by whichever comes first, corrections of it follow. */
export function mockAgent(stage: Stage): Required<Pick<AgentDefinition, "run" | "continue">> {
  let played: Entry | null = null;
  let corrections = 0;
  const visit = async (context: AgentContext, resumed: string | null): Promise<AgentReply> => {
    const entry = await entryFor(context, stage);
    if ("kind" in entry) return entry;
    if (resumed !== null && entry.sessionLost) return lose(context.role, resumed);
    played = entry;
    return perform(entry, context, stage);
  };
  return {
    run: (context) => visit(context, null),
    continue: (sessionId, _message, context) => {
      if (played === null) return visit(context, sessionId);
      corrections += 1;
      return correct(played, context.role, corrections);
    },
  };
}

/** Plays the scenario's entry for this visit of the role. */
export async function play(context: AgentContext, stage: Stage): Promise<AgentReply> {
  return mockAgent(stage).run(context);
}

type Failed = Extract<AgentReply, { readonly kind: "failed" }>;

async function entryFor(context: AgentContext, stage: Stage): Promise<Entry | Failed> {
  const opened = await openScenario(context, stage.cwd);
  if (!opened.ok) return { kind: "failed", fault: opened.fault };
  const { scenario } = opened;
  const choice = chooseEntry(scenario, context);
  if (choice.ok) return withHashes(choice.entry, scenario.texts, context);
  return {
    kind: "failed",
    fault: { code: "INVALID_INPUT", what: `scenario ${scenario.file}`, reason: choice.reason },
  };
}

async function perform(entry: Entry, { role, signal }: AgentContext, stage: Stage): Promise<AgentReply> {
  const { reply, delayMs, exitCode, stdoutNoise, stderr } = entry;
  if (stderr !== null) stage.stderr(withNewline(stderr));
  if (stdoutNoise !== null) stage.stdout(withNewline(stdoutNoise));
  if (delayMs > 0) await stage.sleep(delayMs, signal);
  if (signal.aborted) throw new Error("it was interrupted");
  stage.exitWith(exitCode);
  const session = facts(entry);
  if (reply !== null) return { kind: "text", text: reply, session };
  const outcome = `exited with ${exitCode}, as the scenario says,`;
  const fault = { code: "AGENT_FAILED", command: "uwf-mock", role, outcome, stderr: "" } as const;
  return { kind: "failed", fault, session };
}

/** The hash has to stand on a line of its own. */
function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
