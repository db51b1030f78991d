import { sanitizeTerminal } from "./sanitize.js";

/** A sequence at the end of a text that is not over yet. */
const UNFINISHED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*\u001b?$|(?:\u001b\[|\u009b)[0-?]*[ -/]*$|\u001b[ -/]*$/;

/** No terminal waits longer for the end of a sequence that means anything. */
const LONGEST = 4096;

/** `sanitizeTerminal` for a text in pieces: a sequence that is cut in two does not leave its second half. */
export function sanitizeStream(): { readonly push: (piece: string) => string; readonly flush: () => string } {
  let held = "";
  const push = (piece: string): string => {
    const text = held + piece;
    const from = text.slice(-LONGEST).search(UNFINISHED);
    const end = from === -1 ? text.length : Math.max(0, text.length - LONGEST) + from;
    held = text.slice(end);
    return sanitizeTerminal(text.slice(0, end));
  };
  const flush = (): string => {
    const rest = sanitizeTerminal(held);
    held = "";
    return rest;
  };
  return { push, flush };
}
