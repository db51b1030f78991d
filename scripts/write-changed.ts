import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** A file that is as it should be keeps its time: nothing is compiled again. */
export function writeChanged(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
