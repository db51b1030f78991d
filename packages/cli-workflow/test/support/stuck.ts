import type { Sandbox } from "./uwf.js";

type Checker = {
  /** The `meta` of the checker, as flow YAML. */
  readonly meta?: string;
  readonly conditions?: Readonly<Record<string, string>>;
  /** Its transitions, as flow YAML. */
  readonly leads: readonly string[];
};

/** Whatever the checker has said. */
export const OPEN_META =
  "{ type: object, properties: { approved: { type: boolean }, score: { type: string } } }";

/** `loop`: a maker, then a checker whose transitions are the caller's. */
export function loopWith({ meta = OPEN_META, conditions = {}, leads }: Checker): string {
  const named = Object.entries(conditions).map(
    ([name, expression]) => `  ${name}: { description: "", expression: ${JSON.stringify(expression)} }\n`,
  );
  return `name: loop
description: Made and checked
roles:
  maker:
    description: makes
    goal: Make it
    capabilities: []
    procedure: ""
    output: ""
    meta: { type: object, required: [text], properties: { text: { type: string } } }
  checker:
    description: checks
    goal: Check it
    capabilities: []
    procedure: ""
    output: ""
    meta: ${meta}
conditions:${named.length === 0 ? " {}" : `\n${named.join("")}`}
graph:
  $START:
    - { role: maker, condition: null }
  maker:
    - { role: checker, condition: null }
  checker:
${leads.map((lead) => `    - ${lead}\n`).join("")}`;
}

const YES_OR_NO = {
  yes: "steps[-1].output.approved = true",
  no: "steps[-1].output.approved = false",
};

/** Leads on from an approval and from a rejection, but not from a checker that says neither. */
export const NO_FALLBACK = loopWith({
  conditions: YES_OR_NO,
  leads: ["{ role: maker, condition: no }", "{ role: $END, condition: yes }"],
});

/** What says nothing is no approval. */
export const CORRECTED = loopWith({
  conditions: YES_OR_NO,
  leads: ["{ role: $END, condition: yes }", "{ role: maker, condition: null }"],
});

/** Puts the workflow, and runs maker and checker; what the checker said is what routing sees. */
export async function startStuck(box: Sandbox, workflow: string, agent: string): Promise<string> {
  await box.json(["workflow", "put", box.write("loop.yaml", workflow)]);
  const { thread } = await box.json(["thread", "start", "loop", "-p", "Do it"]);
  await box.json(["thread", "step", thread, "--agent", agent]);
  return thread;
}
