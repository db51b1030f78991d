import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type AgentReply, type Fault, type SessionFacts, type Why, whyOf } from "@uncaged/workflow-agent-kit";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { Adapter, LoginContext } from "./adapters/index.js";
import type { ProgramRun } from "./program.js";
import { recordIn, type Trace, usageOf } from "./trace.js";

type Ran = {
  readonly adapter: Adapter;
  readonly run: ProgramRun;
  readonly trace: Trace;
  readonly session: SessionFacts;
  readonly role: string;
  /** Whether it resumed a session. */
  readonly resumed: boolean;
};

/** Success needs all of: exit 0, a terminal record, no error, a final text. Each alone is known to be wrong at times. */
export function classifyRun(ran: Ran): AgentReply {
  const { adapter, run, trace, session, resumed } = ran;
  const outcome = failureOf(ran);
  if (outcome === null) return { kind: "text", text: trace.text, isExact: run.isUtf8, session };
  const failed = { kind: "failed" as const, fault: faultOf(ran, outcome), session };
  const isLost = resumed && trace.sessionId === null && adapter.lost.test(run.stderr);
  return isLost ? { ...failed, sessionLost: true } : failed;
}

/** How it failed, as the end of the sentence "claude …"; `null`: it did not. */
function failureOf({ adapter, run, trace }: Ran): string | null {
  const known = adapter.failedBy?.(sanitizeTerminal(run.stderr)) ?? null;
  if (known !== null) return known;
  const reason = trace.failed ?? trace.notice ?? reasonFor(adapter, run.stderr);
  const because = reason === "" ? "" : ` (${shortened(reason)})`;
  if (run.code !== 0 && !run.lingered) return `${run.outcome}${because}`;
  if (trace.failed !== null) return `reported an error (${shortened(trace.failed)})`;
  if (!trace.done) return `ended without a final record${because}`;
  return trace.text.trim() === "" ? `gave no answer${because}` : null;
}

function reasonFor(adapter: Adapter, stderr: string): string {
  const plain = sanitizeTerminal(stderr);
  return adapter.reasonIn?.(plain) ?? tellingLine(plain);
}

/** The first line with an error, else the last line. */
function tellingLine(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.find((line) => /^\W*error\b/i.test(line)) ?? lines.at(-1) ?? "";
}

function faultOf(ran: Ran, outcome: string): Fault {
  const { adapter, role, run } = ran;
  const stderr = sanitizeTerminal(run.stderr).slice(-2000);
  const why = whyItFailed(ran, outcome);
  return { code: "AGENT_FAILED", command: adapter.programs[0], role, outcome, stderr, ...why };
}

/** Structured error data counts more than the text. */
function whyItFailed({ adapter, run, trace }: Ran, outcome: string): Why {
  const why = trace.why ?? adapter.why?.(run.code, outcome) ?? whyOf(outcome);
  const isEmpty = run.code === 0 || run.lingered;
  if (why.reason === undefined) return isEmpty && trace.failed === null ? { reason: "bad-result" } : why;
  if (why.reason !== "auth") return why;
  return { ...why, hint: `${adapter.loginHint}; then step again` };
}

function shortened(reason: string): string {
  const line = reason.trim().replace(/\s+/g, " ");
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}

/** Far more than the session of a step needs; a longer file is not read. */
const LARGEST = 64 * 1024 * 1024;

type Run = Pick<LoginContext, "env" | "home"> & {
  readonly sessionId: string | null;
  /** Start time, epoch ms. */
  readonly since: number;
};

/** The usage of a run from its CLI's session file; `null`: no file, or no usage in it. */
export function recordedUsage({ sessionFile }: Adapter, run: Run): SessionFacts["usage"] {
  const { sessionId } = run;
  if (sessionFile === undefined || sessionId === null) return null;
  try {
    const file = newestIn(sessionFile.folder(run), (name) => sessionFile.isOf(name, sessionId));
    if (file === null) return null;
    const records = readFileSync(file, "utf8")
      .split("\n")
      .map(recordIn)
      .filter((record) => record !== null);
    return usageOf(sessionFile.tokens(records, run.since));
  } catch {
    // The format is undocumented, so any error only means "no usage".
    return null;
  }
}

function newestIn(folder: string, isOf: (name: string) => boolean): string | null {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => isOf(basename(path)))
    .map((path) => ({ path: join(folder, path), stat: statSync(join(folder, path)) }))
    .filter(({ stat }) => stat.isFile() && stat.size <= LARGEST)
    .sort((one, other) => other.stat.mtimeMs - one.stat.mtimeMs);
  return files[0]?.path ?? null;
}
