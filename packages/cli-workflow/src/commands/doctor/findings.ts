import { agentsToChoose, ownAgent } from "@uncaged/workflow-engine";
import {
  type ExitCode,
  exitCodeOf,
  type Fault,
  type Finding,
  hintOf,
  messageOf,
} from "@uncaged/workflow-protocol";
import type { Host } from "../../io.js";

/** A finding, and the exit code that an error of its class has. */
export type Found = { readonly finding: Finding; readonly exitCode: ExitCode };

/** A check that finds nothing wrong: exit code 0. */
export function fine(check: string, message: string): Found {
  return { finding: { check, status: "ok", message, fix: null }, exitCode: 0 };
}

/** Everything works, but perhaps not as the user expects. */
export function warning(check: string, message: string, fix: string): Found {
  return { finding: { check, status: "warning", message, fix }, exitCode: 0 };
}

/** Some command will fail, with this exit code. */
export function failing(check: string, message: string, fix: string, exitCode: ExitCode): Found {
  return { finding: { check, status: "error", message, fix }, exitCode };
}

/** What the commands themselves would say. */
export function faulty(check: string, failure: Fault): Found {
  const file = "file" in failure ? failure.file : "path" in failure ? failure.path : null;
  const fix = file === null ? hintOf(failure) : `${file}: ${hintOf(failure)}`;
  return failing(check, messageOf(failure), fix, exitCodeOf(failure));
}

/** The first few of many similar findings, and the number of the others. */
const MANY = 20;

export function bounded(found: readonly Found[]): readonly Found[] {
  const wrong = found.filter(({ finding }) => finding.status !== "ok");
  const shown = new Set(wrong.slice(0, MANY));
  const left = wrong.length - shown.size;
  const kept = found.filter((each) => each.finding.status === "ok" || shown.has(each));
  const last = wrong.at(-1);
  if (left === 0 || last === undefined) return kept;
  const { check, status, fix } = last.finding;
  return [
    ...kept,
    { finding: { check, status, message: `${left} more like these`, fix }, exitCode: last.exitCode },
  ];
}

/** One plays scenarios, the other is started by uwf itself. */

/** The command that makes an agent the default one, with an agent that is there; the mock works for everybody. */
export function setupCommand({ env }: Host): string {
  const [agent = "uwf-mock"] = agentsToChoose(env.PATH ?? "").filter(
    (name) => ownAgent(name)?.use !== "play",
  );
  return `\`uwf setup --agent ${agent}\``;
}
