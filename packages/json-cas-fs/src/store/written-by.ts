import { FOREIGN_ROOTS } from "@uncaged/json-cas";
import { lookAt } from "./bytes.js";
import { fsStoreFile, indexFile } from "./layout.js";

/** Which original program has written schemas into a store; `null` where none has. Two looks, whatever its size. */
export function writtenBy(dir: string): string | null {
  for (const [root, program] of FOREIGN_ROOTS) {
    if (lookAt(fsStoreFile(dir, root)) !== null || lookAt(indexFile(dir, root)) !== null) return program;
  }
  return null;
}
