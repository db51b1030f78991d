import type { AgentReply, FailureReason } from "@uncaged/workflow-agent-kit";
import { type Failure, failed } from "../session/index.js";
import type { Conversed } from "./converse.js";

/** `refusal` and its like: the agent has ended its turn, but not because it was done. */
const STOPS: Readonly<Record<string, readonly [outcome: string, reason: FailureReason]>> = {
  max_tokens: ["reached its limit of tokens", "limit-reached"],
  max_turn_requests: ["reached its limit of requests in one turn", "limit-reached"],
  refusal: ["refused to go on", "refused"],
  cancelled: ["was cancelled", "crashed"],
};

const STDERR_CHARACTERS = 2000;

type Who = { readonly command: string; readonly role: string };

/** Success is a turn that has ended by itself and words at its end: each alone has been seen to lie. */
export function judge(conversed: Conversed, { command, role }: Who, log: string): AgentReply {
  const { end, text, session } = conversed;
  const failure = end.ok ? failureIn(end.finished.stopReason, conversed) : end.failure;
  if (failure === null) return { kind: "text", text, session };
  const stderr = log.slice(-STDERR_CHARACTERS);
  const { outcome, why, sessionLost } = failure;
  const fault = { code: "AGENT_FAILED", command, role, outcome, stderr, ...why } as const;
  return { kind: "failed", fault, session, sessionLost };
}

function failureIn(stopReason: string, { text, rejections }: Conversed): Failure | null {
  if (stopReason !== "end_turn") {
    const [outcome, reason] = STOPS[stopReason] ?? [`stopped for the reason "${stopReason}"`, "bad-result"];
    return failed(outcome, { reason });
  }
  if (text.trim() !== "") return null;
  // Some agents end their turn without a word when they may not do something.
  const last = rejections.at(-1);
  return failed(last === undefined ? "gave no answer" : `gave no answer; uwf-acp had ${last}`, {
    reason: "bad-result",
  });
}
