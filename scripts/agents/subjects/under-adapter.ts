import type { Adapter } from "../../../packages/workflow-agent-cli/src/index.js";
import type { Subject } from "../types.js";

/** The version that the adapter says it was tried with, under the agent of its name with these words. */
export function underAdapter(
  { name, tried }: Adapter,
  args: readonly string[],
): Pick<Subject, "name" | "program" | "agent"> {
  if (tried === null) throw new Error(`the adapter of ${name} names no version that could be installed`);
  const agent = { package: "workflow-agent-cli", command: `uwf-${name}`, args };
  return { name: `${name} through uwf-${name}`, program: tried, agent };
}
