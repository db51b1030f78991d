import {
  CAS_GET,
  type CompletionToolCall,
  isObject,
  type JsonObject,
  type JsonValue,
  type OpenModel,
} from "@uncaged/workflow-agent-kit";
import { type ChildOutcome, endRun, runChild, sanitizeTerminal } from "@uncaged/workflow-util";
import { type Ground, placeOf, readPlace, writeText } from "./folder.js";

export type Answer = {
  /** Shown to the model. */
  readonly result: string;
  readonly ok: boolean;
};

/** The surroundings and limits of one run's tools. */
export type Workshop = Ground & {
  /** Of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Characters of one result. */
  readonly outputLimit: number;
  /** Time limit of one command, in ms. */
  readonly commandMs: number;
  /** Between SIGTERM and SIGKILL, in ms. */
  readonly graceMs: number;
  /** Reads a node of the store. */
  readonly readNode: (given: JsonValue) => string;
  /** Stores a text; returns its hash. */
  readonly putText: (text: string) => Promise<string>;
  readonly conceal: OpenModel["conceal"];
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
};

export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly run: (given: JsonObject, shop: Workshop) => Answer | Promise<Answer>;
};

export function done(result: string): Answer {
  return { result, ok: true };
}

export function refused(reason: string): Answer {
  return { result: `Error: ${reason}.`, ok: false };
}

/** The arguments of a tool as JSON Schema; type string by default. */
function parametersOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

// Gate: a model's arguments. Missing ones and other types are `null`.

export function textIn(given: JsonObject, key: string): string | null {
  const value = Object.hasOwn(given, key) ? given[key] : null;
  return typeof value === "string" ? value : null;
}

/** A whole number of at least `least`; some models send it as text. */
export function countIn(given: JsonObject, key: string, least: number): number | null {
  const value = Object.hasOwn(given, key) ? given[key] : null;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= least ? number : null;
}

export function isTrue(given: JsonObject, key: string): boolean {
  return Object.hasOwn(given, key) && given[key] === true;
}

const PATCH_FILE: Tool = {
  name: "patch_file",
  description:
    "Replaces text in a file of the working folder. `old` must occur exactly as given, and only once unless `all` is true: include enough surrounding lines.",
  parameters: parametersOf(
    { path: { type: "string" }, old: { type: "string" }, new: { type: "string" }, all: { type: "boolean" } },
    ["path", "old", "new"],
  ),
  run: (given, shop) => {
    const [old, fresh] = [textIn(given, "old"), textIn(given, "new")];
    if (old === null || old === "") return refused("old must be a non-empty string");
    if (fresh === null) return refused("new must be a string");
    return patch(textIn(given, "path") ?? "", { old, fresh, all: isTrue(given, "all") }, shop);
  },
};

type Change = { readonly old: string; readonly fresh: string; readonly all: boolean };

function patch(path: string, change: Change, shop: Workshop): Answer {
  const place = placeOf(shop, path);
  if (!place.ok) return refused(place.error);
  const read = readPlace(place.value);
  if (!read.ok) return refused(read.error);
  if (read.value.kind === "folder") return refused(`${path} is a folder`);
  const { text } = read.value;
  // Writing a file that is not UTF-8 would change other bytes.
  if (text.includes("\ufffd")) return refused(`${path} is not valid UTF-8; change it with a command`);
  const { old, fresh, all } = inLinesOf(text, change);
  const times = text.split(old).length - 1;
  if (times === 0) return refused(`old is not in ${path}; read the file again and copy the text exactly`);
  if (times > 1 && !all)
    return refused(`old occurs ${times} times in ${path}; include more surrounding lines, or set all: true`);
  const written = writeText(place.value, text.split(old).join(fresh));
  if (!written.ok) return refused(written.error);
  return done(`Replaced it ${times === 1 ? "once" : `${times} times`} in ${place.value.path}.`);
}

/** Models write LF, even for a file with CRLF. */
function inLinesOf(text: string, change: Change): Change {
  if (text.includes(change.old) || !text.includes("\r\n")) return change;
  const crlf = (part: string): string => part.replace(/\r?\n/g, "\r\n");
  return { ...change, old: crlf(change.old), fresh: crlf(change.fresh) };
}

const READ_FILE: Tool = {
  name: "read_file",
  description:
    "Reads a text file of the working folder, or lists a folder. A long file comes in parts: `offset` is the first line (from 1), `limit` the number of lines.",
  parameters: parametersOf(
    {
      path: { type: "string" },
      offset: { type: "integer", minimum: 1 },
      limit: { type: "integer", minimum: 1 },
    },
    ["path"],
  ),
  run: (given, shop) => {
    const { outputLimit } = shop;
    const place = placeOf(shop, textIn(given, "path") ?? "");
    if (!place.ok) return refused(place.error);
    const read = readPlace(place.value);
    if (!read.ok) return refused(read.error);
    if (read.value.kind === "folder") return done(cutList(read.value.names, outputLimit));
    const range = { offset: countIn(given, "offset", 1) ?? 1, limit: countIn(given, "limit", 1) };
    // Redact before cutting: half a key is not recognised.
    return part(shop.conceal(read.value.text), range, outputLimit);
  },
};

function cutList(names: readonly string[], limit: number): string {
  const text = names.length === 0 ? "(an empty folder)" : names.join("\n");
  return text.length <= limit ? text : `${text.slice(0, limit)}\n[cut off: ${names.length} names in all]`;
}

type Range = { readonly offset: number; readonly limit: number | null };

/** As many whole lines as fit; a note says where to continue. */
function part(text: string, { offset, limit }: Range, most: number): Answer {
  const lines = text.split(/(?<=\n)/);
  if (lines.length < offset) return refused(`it has only ${lines.length} lines`);
  const wanted = lines.slice(offset - 1, limit === null ? undefined : offset - 1 + limit);
  const shown = fitting(wanted, most);
  const last = offset - 1 + shown.length;
  if (shown.length > 0 && last >= lines.length) return done(shown.join("") || "(an empty file)");
  const [long = ""] = wanted;
  if (shown.length === 0)
    return done(`${long.slice(0, most)}\n[line ${offset} is cut off: it has ${long.length} characters]`);
  return done(
    `${shown.join("")}\n[lines ${offset} to ${last} of ${lines.length}; continue with offset ${last + 1}]`,
  );
}

function fitting(lines: readonly string[], most: number): readonly string[] {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += line.length;
    return size > most;
  });
  return over === -1 ? lines : lines.slice(0, over);
}

const WRITE_FILE: Tool = {
  name: "write_file",
  description:
    "Writes a complete text file in the working folder and creates its folders. Existing content is replaced.",
  parameters: parametersOf({ path: { type: "string" }, content: { type: "string" } }, ["path", "content"]),
  run: (given, shop) => {
    const content = textIn(given, "content");
    if (content === null) return refused("content must be a string");
    const place = placeOf(shop, textIn(given, "path") ?? "");
    if (!place.ok) return refused(place.error);
    const written = writeText(place.value, content);
    return written.ok ? done(`Wrote ${written.value} bytes to ${place.value.path}.`) : refused(written.error);
  },
};

const USUAL_MS = 120_000;

const SHELL_EXEC: Tool = {
  name: "shell_exec",
  description:
    "Runs a command in the working folder with /bin/sh, without input. Returns its exit code and the end of its output. Background processes are ended when it returns.",
  parameters: parametersOf(
    {
      command: { type: "string" },
      timeoutSeconds: { type: "integer", minimum: 1, description: "120 unless given" },
    },
    ["command"],
  ),
  run: async (given, shop) => {
    const command = textIn(given, "command") ?? "";
    if (command.trim() === "" || command.includes("\0")) return refused("command must be a non-empty string");
    const seconds = countIn(given, "timeoutSeconds", 1);
    const timeoutMs = Math.min(seconds === null ? USUAL_MS : seconds * 1000, shop.commandMs);
    const outcome = await runShell(command, timeoutMs, shop);
    return describeOutcome(outcome, timeoutMs, shop);
  },
};

/** Runs in its own process group, which has ended when this returns. */
async function runShell(command: string, timeoutMs: number, shop: Workshop): Promise<ChildOutcome> {
  const { cwd, env, graceMs, signal, heartbeat } = shop;
  const outcome = await runChild({
    command: "/bin/sh",
    // One pipe for stdout and stderr keeps their order.
    args: ["-c", `exec 2>&1\n${command}`],
    cwd,
    env,
    stdin: { kind: "null" },
    stdout: { kind: "memory", limitBytes: bytesFor(shop) },
    stderr: { kind: "memory", limitBytes: 4096 },
    limits: { timeoutMs, graceMs },
    // The command has its own limit, so its silence is normal.
    onTick: heartbeat,
    abort: signal,
  });
  if (outcome.pid !== null) await endRun({ pid: outcome.pid, startTime: null, token: null }, graceMs);
  return outcome;
}

/** A character has up to four bytes; terminal codes and keys are removed later. */
function bytesFor({ outputLimit }: Workshop): number {
  return outputLimit * 4;
}

function describeOutcome(outcome: ChildOutcome, timeoutMs: number, shop: Workshop): Answer {
  const head = headOf(outcome, timeoutMs);
  const kept = outcome.stdout ?? "";
  const cutBefore = Buffer.byteLength(kept) >= bytesFor(shop) - 4;
  // The first line may be cut within a key, which is then not recognised.
  const whole = cutBefore ? kept.slice(kept.indexOf("\n") + 1) : kept;
  const output = shop.conceal(sanitizeTerminal(`${whole}${outcome.stderr ?? ""}`));
  const over = output.length > shop.outputLimit;
  const shown = over ? output.slice(-shop.outputLimit) : output;
  const note = over || cutBefore ? "[the beginning is cut off]\n" : "";
  return {
    result: `${head}\n${note}${shown}`.trimEnd(),
    ok: outcome.kind === "exited" && outcome.code === 0,
  };
}

function headOf(outcome: ChildOutcome, timeoutMs: number): string {
  switch (outcome.kind) {
    case "exited":
      return `exit code ${outcome.code}`;
    case "signaled":
      return `ended by ${outcome.signal}`;
    case "timeout":
      return `ended after ${timeoutMs / 1000} s, its time limit`;
    case "aborted":
      return `ended by ${outcome.signal}, with the agent`;
    case "ended-after-result":
      return "ended";
    default:
      return `not started: ${outcome.reason}`;
  }
}

const { function: described } = CAS_GET as { readonly function: JsonObject };

const READ_NODE: Tool = {
  name: "cas_get",
  description: String(described.description),
  parameters: described.parameters as JsonObject,
  run: (given, { readNode, outputLimit }) => {
    const text = readNode(given);
    return done(
      text.length > outputLimit
        ? `${text.slice(0, outputLimit)}\n[cut off: ${text.length} characters]`
        : text,
    );
  },
};

const PUT_TEXT: Tool = {
  name: "cas_put",
  description:
    "Stores a text in the content-addressed store and returns its hash, for a field that takes the hash of a stored node.",
  parameters: parametersOf({ text: { type: "string" } }, ["text"]),
  run: async (given, { putText }) => {
    const text = textIn(given, "text");
    return text === null ? refused("text must be a string") : done(await putText(text));
  },
};

export const TOOLS: readonly Tool[] = [READ_FILE, WRITE_FILE, PATCH_FILE, SHELL_EXEC, READ_NODE, PUT_TEXT];

/** Tools in the API's format. */
export function describeTools(tools: readonly Tool[]): readonly JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

/** The result of a call; an invalid one gets a sentence. */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: given, raw }: CompletionToolCall,
  shop: Workshop,
): Promise<Answer> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    return refused(`there is no tool "${name}"; the tools are ${tools.map((one) => one.name).join(", ")}`);
  if (!isObject(given))
    return refused(`the arguments of ${name} are not a JSON object: ${raw.slice(0, 200)}`);
  const answer = await tool.run(given, shop);
  return { ...answer, result: shop.conceal(answer.result) };
}
