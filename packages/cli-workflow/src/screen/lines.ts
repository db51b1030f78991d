import { wrapped } from "./fields.js";
import { paintOn } from "./paint.js";
import type { Screen } from "./screen.js";
import type { Cell } from "./table.js";

/** Sentences, a line each, as wide as the screen. */
export function lines({ width }: Screen, sentences: readonly (Cell | null)[]): string {
  return sentences.map((each) => (each === null ? "" : wrapped(each, width, 0))).join("");
}

/** The command that a person probably types next. It is not cut: it is to be copied. */
export function nextCommand(screen: Screen, command: string): string {
  const { dim, strong } = paintOn(screen);
  return `${dim("next:")} ${strong(command)}\n`;
}
