import { complete } from "./commands/index.js";
import type { OfferedOption } from "./commands/types.js";
import { processHost } from "./io.js";
import { contextOf, FOR_PROGRAM, failThrown, print } from "./session.js";

/** Only words that begin with a dash, and what follows them, need the command line parser. */
async function optionsOf(words: readonly string[]): Promise<readonly OfferedOption[]> {
  return (await import("./program/described.js")).offeredOptions(words);
}

/** `main` for completion scripts: `words` are whatever has been typed. */
export async function mainComplete(words: readonly string[], host = processHost()): Promise<number> {
  try {
    const output = await complete(contextOf(host, "text", FOR_PROGRAM), { words, optionsOf });
    if (output.ok) await print(host, output.value, FOR_PROGRAM);
    return 0;
  } catch (error) {
    return failThrown(error, host, "text");
  }
}
