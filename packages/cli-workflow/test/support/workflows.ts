import { begun } from "./begun.js";
import { ASKED_ZOO, type Sandbox, SCRIPT_RUNNER, ZOO } from "./uwf.js";

/** Two roles that take turns once: `maker` delivers text, `checker` a verdict; a rejected text is made again. */
export const TURNS = `name: turns
description: Two roles in turn
roles:
  maker:
    description: makes
    goal: Make it
    capabilities: [making]
    procedure: Make the text.
    output: The text.
    meta:
      type: object
      required: [text]
      properties:
        text: { type: string }
      additionalProperties: false
  checker:
    description: checks
    goal: Check it
    capabilities: []
    procedure: ""
    output: ""
    meta:
      type: object
      required: [approved]
      properties:
        approved: { type: boolean }
      additionalProperties: false
conditions:
  rejected:
    description: sent back
    expression: steps[-1].output.approved = false
graph:
  $START:
    - { role: maker, condition: null }
  maker:
    - { role: checker, condition: null }
  checker:
    - { role: maker, condition: rejected }
    - { role: $END, condition: null }
`;

/** The zoo agent as an `--agent` value: `zoo("valid")`. */
export function zoo(behaviour: string, ...args: readonly string[]): string {
  return agentLine(ASKED_ZOO, behaviour, args);
}

/** The same on a runtime, for a test of processes that the worker cannot see. */
export function realZoo(behaviour: string, ...args: readonly string[]): string {
  return agentLine([SCRIPT_RUNNER, ZOO], behaviour, args);
}

function agentLine(program: readonly string[], behaviour: string, args: readonly string[]): string {
  return [...program.map((word) => `'${word}'`), behaviour, ...args].join(" ");
}

/** Registers TURNS and starts a thread of it. */
export function startTurns(box: Sandbox, prompt = "Do it"): Promise<string> {
  return begun(box, `turns ${prompt}`, async ({ prepare, write }) => {
    await prepare(["workflow", "put", write("turns.yaml", TURNS)]);
    return (await prepare(["thread", "start", "turns", "-p", prompt])).thread;
  });
}

/** The same, and the maker has worked. */
export function startMade(
  box: Sandbox,
  prompt = "Do it",
): Promise<{ readonly thread: string; readonly head: string }> {
  return begun(box, `made ${prompt}`, async (at) => {
    const thread = await startTurns(at, prompt);
    const { head } = await at.prepare(["thread", "step", thread, "--agent", zoo("valid")]);
    return { thread, head };
  });
}
