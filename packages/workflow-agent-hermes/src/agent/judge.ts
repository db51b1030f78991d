import type { ProgramRun, Trace } from "@uncaged/workflow-agent-cli";
import { type AgentReply, type SessionFacts, type Why, whyOf } from "@uncaged/workflow-agent-kit";
import type { WholeRun } from "../hermes/index.js";
import { errorMark, failureLine, isLost, reachedLimit, textIn } from "../output/index.js";
import { finalText } from "../session/index.js";

export type Ran = {
  readonly run: ProgramRun;
  /** What it streamed; `null`: it was asked for words. */
  readonly stream: Trace | null;
  readonly whole: WholeRun | null;
  readonly session: SessionFacts;
  readonly role: string;
  readonly resumed: boolean;
};

/** Success is exit 0 and a final text and no mark of an error: each alone has been seen to lie. */
export function judge(ran: Ran): AgentReply {
  const { run, session, resumed } = ran;
  const text = textOf(ran);
  const outcome = failureOf(ran, text);
  // What hermes prints around its answer is no part of it, and may say why it is as it is.
  const raw = squeezed(text) === squeezed(textIn(run.stdout)) ? run.stdout.trim() : text;
  if (outcome === null) return { kind: "text", text, raw, session };
  const stderr = run.stderr.slice(-2000);
  const fault = {
    code: "AGENT_FAILED",
    command: "hermes",
    role: ran.role,
    outcome,
    stderr,
    ...whyItFailed(run, outcome),
  } as const;
  const sessionLost = resumed && isLost(run.stdout, run.stderr);
  return sessionLost ? { kind: "failed", sessionLost, fault, session } : { kind: "failed", fault, session };
}

function whyItFailed({ code }: ProgramRun, outcome: string): Why {
  const why = whyOf(outcome);
  if (why.reason === "auth") return { ...why, hint: "run `hermes setup`; then step again" };
  const isEmpty = code === 0 && !outcome.startsWith("reported");
  return why.reason === undefined && isEmpty ? { reason: "bad-result" } : why;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The stream's last word is the answer; words on stdout are what is left when the session cannot be had. */
function textOf({ run, stream, whole }: Ran): string {
  const kept = whole === null ? null : finalText(whole.messages);
  return stream === null ? (kept ?? textIn(run.stdout)) : stream.text || (kept ?? "");
}

/** How it failed, as the end of the sentence "hermes …"; `null` when it did not. */
function failureOf({ run, stream }: Ran, text: string): string | null {
  const words = stream === null ? run.stdout : "";
  const mark = stream === null ? errorMark(words, run.stderr) : stream.failed;
  const done = stream === null || stream.done;
  // A summary that was forced out at the limit is no answer to the task.
  if (reachedLimit(words, run.stderr)) return "reached its limit of iterations (--max-turns)";
  if (run.code === 0 && mark === null && done && text.trim() !== "") return null;
  const told = stream?.failed ?? failureLine(words, run.stderr);
  const ended = run.code === 0 ? (mark === null ? unsaid(done) : "reported an error") : run.outcome;
  return told === "" ? ended : `${ended} (${told})`;
}

function unsaid(done: boolean): string {
  return done ? "gave no answer" : "ended without saying that it was done";
}
