import { agentsOnPath } from "../../agents/index.js";
import type { Host } from "../../io/index.js";

/** The command that makes an agent the default one, with an agent that is there; the mock works for everybody. */
export function setupCommand({ env }: Host): string {
  const [agent = "uwf-mock"] = agentsOnPath(env.PATH ?? "").filter((name) => name !== "uwf-mock");
  return `\`uwf setup --agent ${agent}\``;
}
