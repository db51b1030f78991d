import type { AgentContext } from "@uncaged/workflow-agent-kit";
import type { Entry, Scenario } from "../scenario/index.js";

export type Choice =
  | { readonly ok: true; readonly entry: Entry }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };

/** The entry of this visit, if the scenario has one and expects the role here. */
export function chooseEntry(
  scenario: Scenario,
  { role, steps }: Pick<AgentContext, "role" | "steps">,
): Choice {
  const surprise = unexpected(scenario.expect, role, steps.length);
  if (surprise !== null) return { ok: false, reason: surprise };
  const entries = scenario.roles.get(role) ?? [];
  const visits = steps.filter((step) => step.role === role).length;
  const entry = entries[Math.min(visits, entries.length - 1)];
  if (entry !== undefined) return { ok: true, entry };
  const known = [...scenario.roles.keys()].join(", ");
  return { ok: false, reason: `it has no role ${role}; its roles are ${known}` };
}

function unexpected(expect: readonly string[] | null, role: string, position: number): string | null {
  if (expect === null || expect[position] === role) return null;
  const expected = expect[position];
  const wanted =
    expected === undefined ? `no step after step ${expect.length}` : `${expected} as step ${position + 1}`;
  return `it expects ${wanted}, but ${role} is asked for as step ${position + 1}`;
}
