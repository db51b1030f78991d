// In this order: strings that a terminal takes in whole (OSC, DCS, SOS, PM, APC, ended by BEL or ST), CSI sequences,
// other escape sequences, and at last every control character except newline and tab. The 8-bit forms count too.
// No part can match in two ways, and no attempt runs past the next introducer: the time is linear.
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text without terminal control sequences and control characters; `\n` and `\t` stay. Characters that change
 * the direction of writing (U+202A to U+202E, U+2066 to U+2069) are removed too: they make a line read as
 * something else. For everything that others wrote (agents, models, files) and that is shown to a person.
 */
export function sanitizeTerminal(text: string): string {
  return text.replace(CONTROL, "");
}

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

const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A JSON or double-quoted YAML text with DEL, the C1 controls and the characters that change the direction of
 * writing escaped. `JSON.stringify` and yaml escape those below U+0020 but not these; many terminals treat U+009B
 * like ESC [, and U+202E makes a text read as something else.
 */
export function escapeControls(text: string): string {
  return text.replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a text has characters that `escapeControls` would have to escape. */
export function hasControls(text: string): boolean {
  return text.search(UNESCAPED) !== -1;
}
