import { resolveHash } from "@uncaged/json-cas";
import { done } from "./answer.js";
import type { CasCommand } from "./types.js";

export const list: CasCommand<{ readonly type: string | null }> = ({ store }, { type }) =>
  done({ hashes: type === null ? store.list() : store.listByType(resolveHash(store, type)) });
