import { END, FAIL } from "@uncaged/workflow-protocol";
import type { Scenario } from "@uncaged/workflow-util";
import type { Found } from "./play.js";

// What can be wrong with a step, each as its sentence. Positions count from 0, as in `expect`.

type Kind = Found["kind"];

function found(kind: Kind, message: string, rest: Partial<Omit<Found, "kind" | "message">>): Found {
  return { kind, message, hint: null, expected: null, got: null, problems: [], place: null, ...rest };
}

/** A decision that the scenario does not expect as its next one; `null`: it does, or it expects nothing. */
export function surprise(scenario: Scenario, position: number, target: string): Found | null {
  const { expect } = scenario;
  const wanted = expect === null ? null : (expect[position] ?? scenario.end ?? END);
  if (!isEnd(target))
    return wanted === null || wanted === target ? null : wrongRole(position, wanted, target);
  if (wanted !== null && !isEnd(wanted)) return endsEarly(position, wanted, target);
  return target === (scenario.end ?? END) ? null : wrongEnd(scenario, target);
}

function isEnd(target: string): boolean {
  return target === END || target === FAIL;
}

function wrongRole(position: number, expected: string, got: string): Found {
  const isLast = isEnd(expected);
  const wanted = isLast ? `${expected} after step ${position}` : expected;
  const message = `step ${position + 1} is ${got}, expected ${wanted}`;
  const place = ["expect", isLast ? position - 1 : position];
  return found("wrong-role", message, { expected, got, place });
}

function endsEarly(position: number, expected: string, got: string): Found {
  const message = `the thread ends at ${got}, expected ${expected} as step ${position + 1}`;
  return found("wrong-role", message, { expected, got, place: ["expect", position] });
}

function wrongEnd({ end }: Scenario, got: string): Found {
  const expected = end ?? END;
  const message = `the thread ends at ${got}, expected ${expected}`;
  const hint = end === null ? `if it is meant to end there, write \`end: ${got}\` into the scenario` : null;
  return found("wrong-end", message, { hint, expected, got, place: end === null ? null : ["end"] });
}

export function unroutable(message: string): Found {
  return found("routing", message, {});
}

export function noReply(role: string): Found {
  const hint = "`uwf workflow test --update` writes an example into it";
  return found("no-reply", `the scenario has no reply for ${role}`, { hint, got: role, place: ["roles"] });
}

export function invalidReply(role: string, index: number, problems: readonly string[]): Found {
  const message = `reply ${index + 1} of ${role} is not valid`;
  const place = ["roles", role, index, "reply"];
  return found("invalid-reply", message, { got: role, problems, place });
}

export function failedReply(role: string, index: number, exitCode: number): Found {
  const message = `entry ${index + 1} of ${role} exits with ${exitCode}, as the scenario says`;
  const hint = "a step whose agent fails is not recorded: leave the entry out, or play it with uwf-mock";
  const place = ["roles", role, index, "exitCode"];
  return found("failed-reply", message, { hint, got: role, place });
}

/** Roles that are named of a thread that is too long. */
const LAST = 6;

export function tooLong(steps: readonly { readonly role: string }[], got: string): Found {
  const path = steps.slice(-LAST).map(({ role }) => role);
  const message = `it has not ended after ${steps.length} steps; the last were ${path.join(" → ")}`;
  const hint = "the last reply of a role repeats: add one that leads on, or raise --max-steps";
  return found("too-long", message, { hint, got });
}
