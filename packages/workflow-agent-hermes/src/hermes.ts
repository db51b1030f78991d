import {
  type AgentProgram,
  type Called,
  callProgram,
  findProgram,
  type LoginContext,
  PROVIDER_KEYS,
  type Surroundings,
} from "@uncaged/workflow-agent-cli";
import { type Fault, isSessionId } from "@uncaged/workflow-agent-kit";
import { addTotals, type HermesSession, parseSession, type Totals } from "./session.js";

const STDOUT_BYTES = 20 * 1024 * 1024;
/** An export contains the whole session with every tool result. */
const EXPORT_BYTES = 128 * 1024 * 1024;

type Call = {
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** Whether stderr is shown as it comes. */
  readonly shown: boolean;
  /** `null`: no limit besides uwf's. */
  readonly timeoutMs: number | null;
  /** Each line of stdout. */
  readonly onLine: ((line: string) => void) | null;
};

/** Runs `hermes` from PATH. */
async function callHermes(call: Call, surroundings: Surroundings): Promise<Called> {
  const found = findProgram(["hermes"], surroundings);
  if (!found.ok) return { ok: false, fault: found.error };
  const stdoutBytes = call.shown ? STDOUT_BYTES : EXPORT_BYTES;
  return callProgram({ ...call, command: found.value, stdoutBytes, resultSeen: null }, surroundings);
}

const PROBE_TIMEOUT_MS = 60_000;

/** What the installed hermes supports. */
export type Features = {
  /** `--format stream-json`: one JSON object per line, the last one says how it ended. */
  readonly stream: boolean;
  /** `--query-file -`: the prompt on stdin. */
  readonly queryFile: boolean;
};

export type Probed =
  | { readonly ok: true; readonly features: Features }
  | { readonly ok: false; readonly fault: Fault };

/** An old hermes fails on unknown options, so we read its help first. */
export async function probe(surroundings: Surroundings): Promise<Probed> {
  const args = ["chat", "--help"];
  const call = { args, stdin: null, shown: true, timeoutMs: PROBE_TIMEOUT_MS, onLine: null };
  const help = await callHermes(call, surroundings);
  if (!help.ok) return help;
  const { stdout } = help.run;
  const stream = /--format\b/.test(stdout) && stdout.includes("stream-json");
  return { ok: true, features: { stream, queryFile: stdout.includes("--query-file") } };
}

/** One argument is limited to 128 KiB on Linux. */
const LONGEST_ARGUMENT = 120_000;

type ChatRequest = {
  readonly prompt: string;
  /** The user's own arguments for hermes; they come last, so they override ours. */
  readonly args: readonly string[];
  /** `null` starts a new session. */
  readonly resume: string | null;
  readonly features: Features;
  /** Each line of stdout. */
  readonly onLine: (line: string) => void;
};

/** One prompt to hermes, without questions: everything is approved, at most 90 rounds of tools. */
export async function chat(request: ChatRequest, surroundings: Surroundings): Promise<Called> {
  const { prompt, resume, features, onLine } = request;
  const size = Buffer.byteLength(prompt);
  const isLong = size > LONGEST_ARGUMENT;
  if (isLong && !features.queryFile) return { ok: false, fault: tooLong(size) };
  const output = features.stream ? ["--format", "stream-json"] : ["--quiet"];
  const args = [
    "chat",
    ...(resume === null ? [] : [`--resume=${resume}`]),
    ...(isLong ? ["--query-file", "-"] : [`--query=${prompt}`]),
    ...["--yolo", "--max-turns", "90", ...output, ...request.args],
  ];
  const stdin = isLong ? prompt : null;
  return callHermes({ args, stdin, shown: true, timeoutMs: null, onLine }, surroundings);
}

/** Old versions take the prompt only as an argument. */
function tooLong(size: number): Fault {
  const what =
    "the prompt, for a hermes that cannot read it from stdin (no --query-file in `hermes chat --help`),";
  return { code: "TOO_LARGE", what, size, limit: LONGEST_ARGUMENT };
}

const TIMEOUT_MS = 60_000;

/** More splits of one run than this are not followed. */
const MOST_PARENTS = 8;

/** The session that hermes keeps; `null`: not available, use stdout. */
export async function exportSession(id: string, surroundings: Surroundings): Promise<HermesSession | null> {
  // It comes from the output of hermes, or from a session that it keeps.
  if (!isSessionId(id)) return null;
  const args = ["sessions", "export", "-", `--session-id=${id}`];
  const call = { args, stdin: null, shown: false, timeoutMs: TIMEOUT_MS, onLine: null };
  const exported = await callHermes(call, surroundings);
  if (!exported.ok || exported.run.code !== 0) return null;
  return parseSession(exported.run.stdout);
}

export type WholeRun = {
  readonly session: HermesSession;
  /** Totals of the session and of those that compression split off before it. */
  readonly totals: Totals | null;
  readonly messages: HermesSession["messages"];
};

/** Compression continues in a new session whose parent is the old one: those that began with this run belong to it. */
export async function exportRun(
  id: string,
  startedAt: number,
  surroundings: Surroundings,
): Promise<WholeRun | null> {
  const session = await exportSession(id, surroundings);
  if (session === null) return null;
  let { totals, messages } = session;
  let parent = session.parent;
  for (let hop = 0; parent !== null && hop < MOST_PARENTS; hop += 1) {
    const earlier = await exportSession(parent, surroundings);
    if (earlier === null || (earlier.startedAt ?? 0) < startedAt) break;
    totals = addTotals(earlier.totals, totals);
    messages = [...earlier.messages, ...messages];
    parent = earlier.parent;
  }
  return { session, totals, messages };
}

export const hermesProgram: AgentProgram = {
  name: "hermes",
  programs: ["hermes"],
  login,
  keyVariables: PROVIDER_KEYS,
  ownFolders: [".hermes"],
  tried: null,
};

// Keys are in .env, logins in auth.json; a config.yaml may name an endpoint that needs neither.
function login({ env, home, read }: LoginContext): ReturnType<AgentProgram["login"]> {
  const folder = env.HERMES_HOME || `${home}/.hermes`;
  const files = [`${folder}/auth.json`, `${folder}/.env`];
  const found = files.find((path) => /[=:]\s*\S/.test(read(path) ?? ""));
  if (found !== undefined) return { state: "yes", how: found };
  const config = `${folder}/config.yaml`;
  if (read(config) !== null) return { state: "unknown", how: `${config} exists, but no key` };
  return { state: "no", how: "run `hermes setup`" };
}
