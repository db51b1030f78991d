import { followStderr } from "@uncaged/workflow-engine";
import type { RunDir } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";

/** Characters of an unfinished line that are kept: no screen shows more. */
const LONGEST = 4000;

/** Reads what the agent has written since the last call, and gives its last line: of stderr, or of stdout if that is newer. */
export function lastLineOf({ stdout, stderr }: RunDir, redactor: Redactor): () => string {
  let last = "";
  const followed = [stdout, stderr].map((path) => {
    let open = "";
    const write = (text: string): void => {
      const lines = `${open}${text}`.split("\n");
      open = (lines.at(-1) ?? "").slice(0, LONGEST);
      last = lines.findLast((line) => line.trim() !== "") ?? last;
    };
    return followStderr(path, { write }, redactor);
  });
  return () => {
    for (const each of followed) each.show();
    return last.slice(0, LONGEST);
  };
}
