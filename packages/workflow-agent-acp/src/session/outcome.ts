import { type Why, whyOf } from "@uncaged/workflow-agent-kit";
import type { ChildEnd } from "@uncaged/workflow-util";
import type { Answer } from "../connection/index.js";
import type { RpcError } from "../wire/index.js";
import type { Failure } from "./types.js";

/** The code of an agent that wants to be logged in first. */
const AUTH_REQUIRED = -32_000;

const LONGEST = 500;

export function failed(outcome: string, why: Why = whyOf(outcome)): Failure {
  return { outcome, why, sessionLost: false };
}

/** An answer that is no result, in words. */
export function failureOf(method: string, answer: Exclude<Answer, { readonly kind: "result" }>): Failure {
  switch (answer.kind) {
    case "error":
      return failed(`refused ${method} (${errorText(answer.error)})`, whyRefused(answer.error));
    case "late":
      return failed(`did not answer ${method} within ${answer.ms / 1000} s and was ended`, {
        reason: "timeout",
      });
    default:
      return failed(`${endText(answer.outcome)} before it had answered ${method}`);
  }
}

/** Some agents take the provider's status for the code. */
function whyRefused(error: RpcError): Why {
  return wantsLogin(error)
    ? { reason: "auth" }
    : whyOf(errorText(error), { status: error.code > 0 ? error.code : null });
}

export function errorText({ code, message, data }: RpcError): string {
  const more = data === null || data === "{}" ? "" : `: ${data.slice(0, LONGEST)}`;
  return `${code}: ${message.slice(0, LONGEST)}${more}`;
}

export function wantsLogin(error: RpcError): boolean {
  return error.code === AUTH_REQUIRED;
}

function endText(end: ChildEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited with ${end.code}`;
    case "signaled":
      return `was ended by ${end.signal}`;
    case "aborted":
      return `was interrupted by ${end.signal}`;
    case "timeout":
      return "gave no sign of life for too long, was ended";
    case "ended-after-result":
      return "was ended";
    default:
      return `could not be started: ${end.reason}`;
  }
}
