// In this order: strings that a terminal takes in whole (OSC, DCS, SOS, PM, APC, ended by BEL or ST), CSI sequences,
// other escape sequences, and at last every control character except newline and tab. The 8-bit forms count too.
// No part can match in two ways, and no attempt runs past the next introducer: the time is linear.
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text without terminal control sequences and control characters; `\n` and `\t` stay. The characters that turn the
 * direction of writing (U+202A to U+202E, U+2066 to U+2069) go too: with them a line reads as what it is not.
 * For everything that others wrote (agents, models, files) and that is shown to a person.
 */
export function sanitizeTerminal(text: string): string {
  return text.replace(CONTROL, "");
}
