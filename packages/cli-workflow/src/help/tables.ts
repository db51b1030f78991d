import {
  EXIT_CODES,
  exitCodesOf,
  FAULTS,
  type FaultCode,
  PROBLEMS,
  VARIABLES,
  type VariableFor,
} from "@uncaged/workflow-protocol";
import { type Block, defineTopic, list, type Section, section } from "../line/index.js";
import { blockMarkdown } from "./renderings.js";

const codes = Object.keys(FAULTS) as readonly FaultCode[];

export const exitCodes = defineTopic("exit-codes", [
  section("Exit codes", list(...Object.entries(EXIT_CODES))),
  section(
    "In a loop",
    'Exit 0 with `"done": true`, 8 and 10 mean that the thread is over. 9 means that the thread waits, and the caller should stop; 75 that another process steps it.',
    "On failure stdout stays empty, except for 10 and for `thread run`. stderr has `error[CODE]: …` and `hint: …`, or one JSON object with `--error-format json`.",
  ),
  section(
    "Failures",
    "Each with its exit codes, and `retry` if the same command can succeed later without any change.",
    list(...codes.map((code) => [`\`${code}\` ${exitWords(code)}`, FAULTS[code].when] as const)),
  ),
]);

function exitWords(code: FaultCode): string {
  const { retryable } = FAULTS[code];
  const retry = typeof retryable === "function" ? ", retry by reason" : retryable ? ", retry" : "";
  return `(${exitCodesOf(code).join(", ")}${retry})`;
}

/** docs/errors.md: every failure and every problem in a file, from their tables in workflow-protocol. */
export function errorsMarkdown(): string {
  const failures = (Object.keys(FAULTS) as readonly FaultCode[]).map((code) => {
    const { retryable, when } = FAULTS[code];
    const retry = typeof retryable === "function" ? "by reason" : retryable ? "yes" : "no";
    return `| \`${code}\` | ${exitCodesOf(code).join(", ")} | ${retry} | ${cell(when)} |\n`;
  });
  const problems = Object.entries(PROBLEMS).map(([code, when]) => `| \`${code}\` | ${cell(when)} |\n`);
  return `<!-- Made by \`bun run build\` from the tables of workflow-protocol. Do not edit. -->

# Errors

Every failure has a code, an exit code, a sentence and a hint.

\`\`\`
error[THREAD_NOT_FOUND]: there is no thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB
hint: see \`uwf thread list --all\`
\`\`\`

With \`--error-format json\` or \`UWF_ERROR_FORMAT=json\` the failure is one object: \`{code, message, hint, retryable, data}\`. For a failed agent run \`data\` also has \`attempts\`, the number of runs including retries, and \`stderr\`, the end of its stderr. Every line of stderr is then one JSON object, including \`{warning}\` and \`{notice}\` before the failure. *Retry* says whether the same command can succeed later without any change.

| code | exit | retry | when |
|---|---|---|---|
${failures.join("")}
## Problems in a file

\`INVALID_WORKFLOW\` and \`INVALID_CONFIG\` list all problems at once, in the order of the file; each cause is reported once. With \`--error-format json\` they are \`data.problems\`, each \`{severity, code, line, column, path, message, suggestion, also}\`: \`path\` is a JSON Pointer, line and column point to the key or the value, whichever is wrong, or into a condition's expression; \`also\` has further places \`{line, column}\` of the same mistake. \`uwf workflow validate\` prints the same objects, warnings included.

| code | reported when |
|---|---|
${problems.join("")}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

const SECTIONS: readonly Section[] = [
  section(
    "Read by uwf",
    variablesFor("person"),
    "A `.env`, `bunfig.toml`, `tsconfig.json`, `package.json` or `node_modules/` of the current folder has no effect, except that values of the `.env` are redacted. `NODE_OPTIONS` and `BUN_OPTIONS` belong to the runtimes and work as usual. Agents read the `.env` of the storage root.",
  ),
  section(
    "Given to an agent",
    variablesFor("agent"),
    "An agent inherits everything else that uwf has, or, if `agents.<alias>.env` lists names, only those and `PATH`, `HOME` and `PWD`.",
  ),
  section("Given to the command of an agent", variablesFor("command")),
];

export const environment = defineTopic("environment", SECTIONS);

/** docs/environment.md: the topic, and what uwf's own processes tell each other. */
export function environmentMarkdown(): string {
  const all = [...SECTIONS, section("Between uwf's own processes", variablesFor("process"))];
  const parts = all.map(({ title, blocks }) => `## ${title}\n\n${blocks.map(blockMarkdown).join("\n\n")}\n`);
  return `<!-- Made by \`bun run build\` from the table of workflow-protocol. Do not edit. -->

# Environment

${parts.join("\n")}`;
}

function variablesFor(whom: VariableFor): Block {
  const rows = Object.values(VARIABLES).filter((row) => row.for === whom);
  return list(...rows.map(({ name, does }) => [`\`${name}\``, does] as const));
}
