import { CasError, resolveHash, type Store } from "@uncaged/json-cas";
import type { CasCommand } from "./types.js";

export const has: CasCommand<{ readonly hash: string }> = ({ store }, { hash }) => {
  const exists = isThere(store, hash);
  return { document: { exists }, exitCode: exists ? 0 : 3 };
};

function isThere(store: Store, text: string): boolean {
  try {
    resolveHash(store, text);
    return true;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_MISSING") return false;
    throw error;
  }
}
