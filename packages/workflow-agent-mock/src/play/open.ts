import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentContext, Fault } from "@uncaged/workflow-agent-kit";
import { parseScenario, type Scenario } from "../scenario/index.js";

export type Opened =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly fault: Fault };

const USAGE =
  "usage: uwf-mock [--scenario <file>] <thread-id> <role>; without the option UWF_MOCK_SCENARIO names the file";

const LARGEST = 16 * 1024 * 1024;

/** The scenario that the command line, or else the environment, names. */
export async function openScenario(
  { args, env }: Pick<AgentContext, "args" | "env">,
  cwd: string,
): Promise<Opened> {
  const named = scenarioOption(args);
  if (!named.ok) return refuse({ code: "USAGE", reason: named.reason, usage: USAGE });
  const path = named.path ?? env.UWF_MOCK_SCENARIO ?? "";
  if (path === "") return refuse({ code: "USAGE", reason: "no scenario is named", usage: USAGE });
  const file = resolve(cwd, path);
  const text = read(file);
  if (!text.ok) return text;
  const parsed = await parseScenario(text.text, path);
  if (parsed.ok) return parsed;
  const reason = parsed.problems.map((problem) => `\n  ${problem}`).join("");
  return refuse({ code: "INVALID_INPUT", what: `scenario ${path}`, reason });
}

type Named =
  | { readonly ok: true; readonly path: string | null }
  | { readonly ok: false; readonly reason: string };

/** `--scenario file` or `--scenario=file`, and nothing else. */
function scenarioOption(args: readonly string[]): Named {
  const [first, second, ...rest] = args;
  if (first === undefined) return { ok: true, path: null };
  if (first.startsWith("--scenario=") && second === undefined) {
    return { ok: true, path: first.slice("--scenario=".length) };
  }
  if (first !== "--scenario") return { ok: false, reason: `unknown argument ${first}` };
  if (second === undefined || second === "") return { ok: false, reason: "--scenario needs a file" };
  return rest[0] === undefined
    ? { ok: true, path: second }
    : { ok: false, reason: `unknown argument ${rest[0]}` };
}

/** The path is wrong, or not for us; anything else is the disk's failure, which may pass. */
const MISNAMED: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ENAMETOOLONG"]);

type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: Fault };

function read(path: string): Text {
  try {
    const { size } = statSync(path);
    if (size > LARGEST) return refuse({ code: "TOO_LARGE", what: path, size, limit: LARGEST });
    return { ok: true, text: readFileSync(path, "utf8").replace(/^\ufeff/, "") };
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (!MISNAMED.has(reason))
      return refuse({ code: "IO_FAILED", operation: "read", path, errno: reason, reason });
    return refuse({ code: "FILE_NOT_FOUND", path, reason });
  }
}

function refuse(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}
