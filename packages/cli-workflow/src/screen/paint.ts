import picocolors from "picocolors";
import type { Screen } from "./screen.js";

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
