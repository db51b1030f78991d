import { parserForAll } from "@uncaged/command-line";
import type { Command } from "commander";
import type { TextSink } from "./io.js";
import { pageOf, programOn } from "./line/index.js";
import { WORDS } from "./words.made.js";

// All commands as commander's, without the code of any: for pages of help, and for a line that names none of them.

/** With their whole pages, which go to `stdout`. */
export function helpTree(stdout: Pick<TextSink, "write" | "columns">): Command {
  return parserForAll(
    programOn(stdout),
    Object.values(WORDS).map((words) => pageOf(words, words.exitCodes)),
  );
}

/** With the words of their definitions, for other pages than those of `--help`. */
export function wordsTree(): Command {
  return parserForAll(programOn({ write: () => {}, columns: () => null }), Object.values(WORDS));
}
