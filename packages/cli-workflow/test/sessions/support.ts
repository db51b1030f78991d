import { resolve } from "node:path";
import { MOCK, type Sandbox, SCRIPT_RUNNER } from "../support/uwf.js";

const TRACED = resolve(import.meta.dirname, "../../dist/test-agents/traced.mjs");

/** An agent that tells its session, as an `--agent` value. */
export function traced(behaviour: string, ...args: readonly string[]): string {
  return [`'${SCRIPT_RUNNER}'`, `'${TRACED}'`, behaviour, ...args].join(" ");
}

export const KEEPS = resolve(import.meta.dirname, "../../dist/test-agents/keeps.mjs");

/** An agent whose sessions live in a folder, as an `--agent` value. */
export function keeps(folder: string, behaviour: string): string {
  return [SCRIPT_RUNNER, KEEPS, folder, behaviour].map((word) => `'${word}'`).join(" ");
}

/** The mock with a scenario for `turns`, as an `--agent` value. */
export function mockWith(box: Sandbox, roles: object): string {
  return `'${MOCK}' --scenario '${box.write("scenario.json", JSON.stringify({ roles }))}'`;
}

export const MADE = "---\ntext: made\n---\n";

export function judged(approved: boolean): string {
  return `---\napproved: ${approved}\n---\n`;
}
