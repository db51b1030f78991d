// CSI, OSC (ended by BEL or ST) and two-character escape sequences, then the other control characters.
const TERMINAL_CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The last line of an agent's stdout that is not empty once terminal codes and CR are gone; `null` when there is none. */
export function lastLine(stdout: string): string | null {
  const lines = stdout.split("\n");
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = (lines[index] ?? "").replace(TERMINAL_CODES, "").trim();
    if (line !== "") return line;
  }
  return null;
}
