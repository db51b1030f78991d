import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentDefinition, AgentReply, TurnFacts } from "../../src/author.js";
import { sessionTurns } from "../../src/resume.js";
import { makeStage, type Stage, VALID } from "../resume/support.js";

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
});

afterEach(() => stage.remove());

function turn(output: string): TurnFacts {
  const toolCalls = [{ name: "shell", arguments: "{}", result: "ok", durationMs: 1 }];
  return { input: "in", output, toolCalls, tokens: { input: 1, output: 2 }, latencyMs: 3 };
}

function speaker(sessionId: string, output: string): AgentDefinition {
  const session = { sessionId, turns: [turn(output)] };
  const reply = (): AgentReply => ({ kind: "text", text: VALID, session });
  return { name: "uwf-test", run: reply, continue: reply };
}

/** What the agent is told of a session at its next visit. */
async function told(sessionId: string, role = "developer"): Promise<readonly TurnFacts[] | null> {
  let turns: readonly TurnFacts[] | null = null;
  const look: AgentDefinition["run"] = (context) => {
    turns = sessionTurns(context, sessionId);
    return { kind: "text", text: VALID };
  };
  await stage.play({ name: "uwf-test", run: look }, role);
  return turns;
}

describe("what was said in a session", () => {
  it("are the turns of its steps, oldest first, those of other sessions and roles left out", async () => {
    await stage.play(speaker("s-1", "one"), "developer");
    await stage.play(speaker("s-1", "of another role"), "reviewer");
    await stage.play(speaker("s-2", "of another session"), "developer");
    await stage.play(speaker("s-1", "two"), "developer");
    expect(await told("s-1")).toEqual([turn("one"), turn("two")]);
  });

  it("has nothing of the note that an older session was not continued", async () => {
    const lost: AgentDefinition = {
      ...speaker("s-2", "afresh"),
      continue: () => ({
        kind: "failed",
        sessionLost: true,
        fault: { code: "AGENT_FAILED", command: "x", role: "developer", outcome: "is gone", stderr: "" },
      }),
    };
    await stage.play(speaker("s-1", "one"), "developer");
    await stage.play(lost, "developer");
    expect(await told("s-2")).toEqual([turn("afresh")]);
  });

  it("is not known where no step of the role had it", async () => {
    expect(await told("s-1")).toBeNull();
    await stage.play(speaker("s-1", "one"), "reviewer");
    expect(await told("s-1")).toBeNull();
  });
});
