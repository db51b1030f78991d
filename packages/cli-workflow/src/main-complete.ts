import { complete } from "./commands/index.js";
import { processHost } from "./io.js";
import { OWN_BIN } from "./line/index.js";
import { contextOf, FOR_PROGRAM, failThrown, print } from "./session.js";

/** `main` for completion scripts: `words` are whatever has been typed. */
export async function mainComplete(words: readonly string[], host = processHost(OWN_BIN)): Promise<number> {
  try {
    const output = await complete(contextOf(host, "text", FOR_PROGRAM), words);
    if (output.ok) await print(host, output.value, FOR_PROGRAM);
    return 0;
  } catch (error) {
    return failThrown(error, host, "text");
  }
}
