import type { AgentContext, AgentReply } from "@uncaged/workflow-agent-kit";
import type { Entry } from "../scenario/index.js";
import { chooseEntry } from "./choose.js";
import { openScenario } from "./open.js";
import type { Stage } from "./types.js";

/** Plays the scenario's entry for this visit of the role. */
export async function play(context: AgentContext, stage: Stage): Promise<AgentReply> {
  const opened = await openScenario(context, stage.cwd);
  if (!opened.ok) return { kind: "failed", fault: opened.fault };
  const { scenario } = opened;
  const choice = chooseEntry(scenario, context);
  if (!choice.ok) {
    return {
      kind: "failed",
      fault: { code: "INVALID_INPUT", what: `scenario ${scenario.file}`, reason: choice.reason },
    };
  }
  return perform(choice.entry, context, stage);
}

async function perform(entry: Entry, { role, signal }: AgentContext, stage: Stage): Promise<AgentReply> {
  const { reply, delayMs, exitCode, stdoutNoise, stderr } = entry;
  if (stderr !== null) stage.stderr(withNewline(stderr));
  if (stdoutNoise !== null) stage.stdout(withNewline(stdoutNoise));
  if (delayMs > 0) await stage.sleep(delayMs, signal);
  if (signal.aborted) throw new Error("it was interrupted");
  stage.exitWith(exitCode);
  if (reply !== null) return { kind: "text", text: reply };
  const outcome = `exited with ${exitCode}, as the scenario says,`;
  return { kind: "failed", fault: { code: "AGENT_FAILED", command: "uwf-mock", role, outcome, stderr: "" } };
}

/** The hash has to stand on a line of its own. */
function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
