import { argument } from "@uncaged/command-line";
import { CasError, resolveHash, type Store } from "@uncaged/json-cas";
import { defineCommand, HASH } from "../define.js";

export const command = defineCommand(() => ({
  path: "has",
  summary: "print {exists}; exit 0 or 3",
  arguments: { hash: argument(HASH) },
  examples: ["has 64KB4T4A9CKTS"],
  sample: {
    line: "has 3CZBG03ZSS8T3",
    prints: `{
  "exists": true
}`,
  },
  run: ({ store }, { hash }) => {
    const exists = isThere(store, hash);
    return { document: { exists }, exitCode: exists ? 0 : 3 };
  },
}));

function isThere(store: Store, text: string): boolean {
  try {
    resolveHash(store, text);
    return true;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_MISSING") return false;
    throw error;
  }
}
