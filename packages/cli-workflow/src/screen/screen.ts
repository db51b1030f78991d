import { ENV } from "@uncaged/workflow-protocol";
import picocolors from "picocolors";
import type { Host } from "../io.js";

/** Where a person reads a result. */
export type Screen = {
  /** Columns. */
  readonly width: number;
  readonly colour: boolean;
  /** Epoch ms, for `3 min ago`. */
  readonly now: number;
};

/** What a person sees in the place of a document: text with a final newline. */
export type Human = (screen: Screen) => string | Promise<string>;

export type Colour = "auto" | "always" | "never";

/** The width of a pipe (`--format text | less`), and of a terminal that does not report one. */
export const USUAL_WIDTH = 80;

export function screenOf({ env, stdout, now }: Pick<Host, "env" | "stdout" | "now">, colour: Colour): Screen {
  // https://no-color.org: any value but an empty one counts.
  const isWanted = !env[ENV.noColor] && env.TERM !== "dumb" && stdout.isTerminal();
  return {
    width: stdout.columns() ?? USUAL_WIDTH,
    colour: colour === "always" || (colour === "auto" && isWanted),
    now: now(),
  };
}

/** Whether the locale has more than ASCII; where none is set, nearly everything that shows text today does. */
export function isUnicode(env: Host["env"]): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return locale === "" || /utf-?8/i.test(locale);
}

/** Where lines may be redrawn on stderr; `null`: it is no terminal, or one that only prints. */
export function watcherOf(
  { env, stderr, now }: Pick<Host, "env" | "stderr" | "now">,
  colour: Colour,
): Screen | null {
  return stderr.isTerminal() && env.TERM !== "dumb" ? screenOf({ env, stdout: stderr, now }, colour) : null;
}

/** Colour by meaning; without colour the texts stay as they are. Loaded only where a person reads. */
export type Paint = {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  /** It waits for a person, or a person should look at it. */
  readonly warn: (text: string) => string;
  /** Runs now. */
  readonly busy: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
};

export function paintOn({ colour }: Pick<Screen, "colour">): Paint {
  const { green, red, yellow, cyan, dim, bold } = picocolors.createColors(colour);
  return { good: green, bad: red, warn: yellow, busy: cyan, dim, strong: bold };
}
