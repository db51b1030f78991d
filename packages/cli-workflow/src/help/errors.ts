import { exitCodesOf, FAULTS, type FaultCode, PROBLEMS } from "@uncaged/workflow-protocol";

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
