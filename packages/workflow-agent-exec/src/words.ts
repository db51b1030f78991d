import { resolve } from "node:path";
import {
  checkProgram,
  err,
  ok,
  type ProgramReport,
  programReport,
  type Result,
  readLeadingOptions,
} from "@uncaged/workflow-agent-kit";
import { isPattern } from "./files.js";

/** What `uwf-exec --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-exec -- npm test"
uwf thread step <thread> --agent "uwf-exec --timeout 10m --cwd ../app -- make check"

Usage: uwf-exec [options] -- <command…> <thread-id> <role>

A uwf agent that runs an ordinary command. The command gets the prompt on stdin and UWF_THREAD and UWF_ROLE in
its environment, and UWF_STEPS_FILE (the thread's outputs so far, as JSON) if it asks for it. The role's fields ok, exitCode, durationMs and
output show how it ended; a command that fails is a result too. It can set more fields of the role, as YAML or JSON, in
the file named by UWF_OUTPUT:

  echo "findings: 2" >> "$UWF_OUTPUT"

The command gets a key of the storage root's .env only if the agent's env in config.yaml lists it.

Options:
  --timeout <duration>    time limit: 90s, 15m, 2h; then ok is false and exitCode 124
  --cwd <folder>          its working folder
  --output-limit <size>   bytes of its output that the field output keeps, 16k by default
  --artifact <field=glob> store the files that match as they are; the field refers to them: report=out/*.html
  --steps                 write UWF_STEPS_FILE, also if neither the command nor a file that it names mentions it
  --fields-from-stdout    read fields also from a YAML header at the beginning of its stdout
  --check                 only check whether the command can be started
  --version

An example to paste into a shell, with <thread> replaced by the id that start prints:

cat > tests.yaml <<'END'
name: tests
description: Runs the tests.
roles:
  tester:
    description: Runs the tests
    goal: To know whether they pass
    capabilities: []
    procedure: Run them.
    output: How they ended
    meta:
      type: object
      required: [ok, exitCode, output]
      properties: { ok: { type: boolean }, exitCode: { type: integer }, output: { type: string } }
conditions: {}
graph:
  $START: [{ role: tester, condition: null }]
  tester: [{ role: $END, condition: null }]
END
uwf thread start ./tests.yaml -p "Run the tests"
uwf thread step <thread> --agent "uwf-exec -- sh -c 'echo 1 of 3 failed; exit 1'"
uwf thread read <thread>

A workflow can route on it with a condition such as steps[-1].output.ok = false.
`;

/** A field that refers to the files that a pattern matches. */
export type Artifact = { readonly field: string; readonly glob: string };

/** uwf-exec's command line, without the two arguments that uwf appends. */
export type Words = {
  /** The program and its arguments; not empty. */
  readonly command: readonly string[];
  /** `null`: no limit. */
  readonly timeoutMs: number | null;
  /** As written; `null`: uwf's own working folder. */
  readonly cwd: string | null;
  /** Bytes of the command's output that the step keeps in its field `output`. */
  readonly outputLimit: number;
  /** Whether a YAML header on its stdout sets fields too. */
  readonly fieldsFromStdout: boolean;
  /** Whether the command gets the thread's outputs, whatever it says. */
  readonly steps: boolean;
  /** Files that the command makes, as it made them. */
  readonly artifacts: readonly Artifact[];
};

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Longer times are taken for typos. */
const MOST_DAYS = 365;

/** `90s`, `15m`, `2h`, `500ms`; a bare number means seconds. In ms; `null` for anything else. */
function durationMs(text: string): number | null {
  const [, digits = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const value = digits === "" ? 0 : Math.round(Number(digits) * (MILLISECONDS[unit] ?? 0));
  return value > 0 && value <= MOST_DAYS * 86_400_000 ? value : null;
}

const LARGEST = 16 * 1024 * 1024;

/** `16384`, `64k`, `1M` (powers of 1024), up to 16 MiB. In bytes; `null` for anything else. */
function sizeBytes(text: string): number | null {
  const [, digits = "", unit = ""] = /^(\d+)([kKmM]?)$/.exec(text) ?? [];
  const factor = unit === "" ? 1 : unit.toLowerCase() === "k" ? 1024 : 1024 * 1024;
  const value = Number(digits || "0") * factor;
  return value > 0 && value <= LARGEST ? value : null;
}

export const USAGE =
  "usage: uwf-exec [--timeout <duration>] [--cwd <folder>] [--output-limit <size>] [--artifact <field=glob>] [--steps] [--fields-from-stdout] -- <command…> <thread-id> <role>";

/** Prompts of later roles repeat a step's output, so it must stay small. */
const OUTPUT_LIMIT = 16 * 1024;

const DEFAULTS: Omit<Words, "command"> = {
  timeoutMs: null,
  cwd: null,
  outputLimit: OUTPUT_LIMIT,
  fieldsFromStdout: false,
  steps: false,
  artifacts: [],
};

/** The options, then `--`, then the command with its own options; the error is a sentence. The two arguments that uwf appends are already removed. */
export function parseWords(args: readonly string[]): Result<Words, string> {
  const known = { flags: Object.keys(FLAGS), values: Object.keys(OPTIONS) };
  const found = readLeadingOptions(args, known);
  if (!found.ok) return found;
  let words: Omit<Words, "command"> = DEFAULTS;
  for (const [name, value] of found.value.options) {
    const fields = FLAGS[name] ?? OPTIONS[name]?.(value) ?? null;
    if (fields === null) return err(`${name} ${value}: ${FORMS[name]}`);
    words = { ...words, ...fields, artifacts: [...words.artifacts, ...(fields.artifacts ?? [])] };
  }
  const { command } = found.value;
  return command.length === 0 ? err("there is no command") : ok({ ...words, command });
}

const FLAGS: Readonly<Record<string, Partial<Omit<Words, "command">>>> = {
  "--fields-from-stdout": { fieldsFromStdout: true },
  "--steps": { steps: true },
};

const OPTIONS: Readonly<Record<string, (value: string) => Partial<Omit<Words, "command">> | null>> = {
  "--timeout": (value) => orNull(durationMs(value), (timeoutMs) => ({ timeoutMs })),
  "--cwd": (cwd) => ({ cwd }),
  "--artifact": (value) => orNull(artifactOf(value), (artifact) => ({ artifacts: [artifact] })),
  "--output-limit": (value) => orNull(sizeBytes(value), (outputLimit) => ({ outputLimit })),
};

function artifactOf(text: string): Artifact | null {
  const [, field = "", glob = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  return field !== "" && isPattern(glob) ? { field, glob } : null;
}

const FORMS: Readonly<Record<string, string>> = {
  "--timeout": "a duration is a number with ms, s, m, h or d, such as 90s or 15m",
  "--artifact": "a field and a pattern below the command's folder, such as report=out/*.html",
  "--output-limit": "a size is a number of bytes, also with k or M, up to 16M",
};

function orNull<T, U>(value: T | null, use: (value: T) => U): U | null {
  return value === null ? null : use(value);
}

const AGENT = "uwf-exec";

type Surroundings = { readonly cwd: string; readonly path: string };

/** `uwf-exec --check [options] -- <command…>`: looks up the command; runs nothing. */
export function check(words: readonly string[], { cwd, path }: Surroundings): Result<ProgramReport, string> {
  // Programs that scan PATH for agents call `--check` without a command.
  if (words.length === 0) {
    const how = "name the command: uwf-exec --check -- <command…>";
    return ok(programReport(AGENT, { program: null, path: null, how }));
  }
  const parsed = parseWords(words);
  if (!parsed.ok) return parsed;
  const { command, cwd: folder } = parsed.value;
  const [program = ""] = command;
  return ok(checkProgram(AGENT, program, { path, cwd: resolve(cwd, folder ?? ".") }));
}
