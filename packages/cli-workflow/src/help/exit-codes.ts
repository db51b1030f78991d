import { EXIT_CODES, exitCodesOf, FAULTS, type FaultCode } from "@uncaged/workflow-protocol";
import { defineTopic, list, section } from "./types.js";

const codes = Object.keys(FAULTS) as readonly FaultCode[];

export const topic = defineTopic("exit-codes", [
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
