// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** The first terminal control character of a text, with its context; `null`: none. */
export function rawControl(text: string): string | null {
  const at = text.search(RAW);
  if (at === -1) return null;
  const code = text.charCodeAt(at).toString(16).padStart(4, "0");
  return `U+${code} in ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 40))}`;
}

type Said = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The exit codes of the contract; 1 is a bug, and a signal was not sent by us. */
const EXIT_CODES: ReadonlySet<number | null> = new Set([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 74, 75]);

/** These answer with a document and a status that is not 0. */
const ANSWERS =
  /^(?:cas|--store \S+) (?:has|verify|walk|gc|schema validate)\b|^doctor\b|^thread (?:next|run)\b|\bworkflow test\b/;

/** What no command may do, whatever its input; returns a sentence per violation. */
export function mannersOf(args: readonly string[], said: Said): readonly string[] {
  const { code, stdout, stderr } = said;
  const wrong: string[] = [];
  if (!EXIT_CODES.has(code)) wrong.push(`exit code ${code}`);
  if (code !== 0 && !ANSWERS.test(args.join(" ")) && stdout !== "")
    wrong.push("stdout is not empty on an error");
  if (code !== 0 && stdout === "" && !isTold(stderr)) wrong.push("an error without a code or a hint");
  if (/^ {4}at [^\n]+:\d+:\d+\)?$/m.test(stderr)) wrong.push("a stack trace");
  for (const [stream, text] of [["stdout", stdout] as const, ["stderr", stderr] as const]) {
    const raw = rawControl(text);
    if (raw !== null) wrong.push(`${stream} has ${raw}`);
  }
  return wrong;
}

/** `error[CODE]: …` and `hint: …`, or the same as one JSON object on the last line. */
function isTold(stderr: string): boolean {
  if (/^error\[[A-Z_]+\]: /m.test(stderr) && /^hint: /m.test(stderr)) return true;
  try {
    const { code, message, hint } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    return [code, message, hint].every((field) => typeof field === "string" && field !== "");
  } catch {
    return false;
  }
}
