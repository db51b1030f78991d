import { existsSync } from "node:fs";
import type { Ran, Sandbox } from "./uwf.js";

/** script(1) gives a command a terminal. */
export const HAS_TERMINALS: boolean = existsSync("/usr/bin/script");

type Terminal = {
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
};

/** uwf on a terminal; stdout has what it shows, stderr included, with the terminal's CR taken out. */
export async function onTerminal(
  box: Sandbox,
  args: readonly string[],
  { columns, env }: Terminal = { columns: 80, env: {} },
): Promise<Ran> {
  const ran = await box.uwf(args, { env, columns });
  return { ...ran, stdout: ran.stdout.replaceAll("\r", "") };
}

/** Colours, which are uwf's own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what this takes out
export const COLOURS = /\u001b\[\d+m/g;

/** ESC, the other C0 controls but newline, DEL, the C1 controls, and what changes the direction of writing. */
export const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
