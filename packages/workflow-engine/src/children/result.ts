import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { fieldNames } from "@uncaged/workflow-agent-kit";
import { evaluateCondition } from "@uncaged/workflow-moderator";
import { err, messageOf, ok, type Result, type StepContext } from "@uncaged/workflow-protocol";
import { readChain, readContext, type Storage } from "@uncaged/workflow-store";
import { toYaml } from "../yaml.js";
import type { EndedChild } from "./child.js";

/** What a child gave, and its steps; an error is a sentence. */
type Given = { readonly fields: JsonObject; readonly steps: readonly StepContext[] };

/** The fields of its last output, or what `output` (JSONata) makes of its history. A child without a step gave none. */
export async function givenBy(
  { cas }: Storage,
  { thread, head }: EndedChild,
  output: string | null,
): Promise<Result<Given, string>> {
  const chain = readChain(cas, head);
  if (!chain.ok) return err(`child thread ${thread} cannot be read: ${messageOf(chain.error)}`);
  const context = readContext(cas, chain.value);
  if (!context.ok) return err(`child thread ${thread} cannot be read: ${messageOf(context.error)}`);
  const { steps } = context.value;
  const last = steps.at(-1)?.output ?? {};
  if (output === null) return ok({ fields: isObject(last) ? last : {}, steps });
  const value = await evaluateCondition(output, context.value);
  if (!value.ok) return err(`--output ${output} failed for child thread ${thread}: ${value.error}`);
  if (isObject(value.value)) return ok({ fields: value.value, steps });
  return err(`--output ${output} gave no object for child thread ${thread}`);
}

/** The child's last step for a model, which reads everything else with `cas_get`: a StepNode names the one before it. */
export function lastStepText({ thread, head }: EndedChild, steps: readonly StepContext[]): string | null {
  const last = steps.at(-1);
  if (last === undefined) return null;
  const { role, output, detail } = last;
  const where = `Thread ${thread} has ended. Its last step is node ${head}, by the role ${role}; what was said there is node ${detail}.`;
  return `${where} Its output:\n\n${toYaml(output)}`;
}

/** Whether the role's meta has a field of this name. */
export function declares(meta: JsonValue, name: string): boolean {
  return fieldNames(meta)?.all.includes(name) === true;
}

/** Those facts that meta declares, and those that the output claims: they win over what a child said. */
export function factsFor(meta: JsonValue, given: JsonObject, facts: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(facts).filter(([name]) => declares(meta, name) || Object.hasOwn(given, name)),
  );
}

export const ENDED = { end: "ended", failed: "ended as failed", killed: "was killed" } as const;
