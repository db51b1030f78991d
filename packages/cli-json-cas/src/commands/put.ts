import { type Hash, parseHash, resolveHash, type Store } from "@uncaged/json-cas";
import { readJsonArgument } from "../input/index.js";
import { done } from "./answer.js";
import type { CasCommand } from "./types.js";

export const put: CasCommand<{ readonly type: string; readonly json: string }> = async (tools, request) => {
  const type = resolveType(tools.store, request.type);
  const payload = readJsonArgument(request.json, tools.readStdin);
  return done({ hash: await tools.store.put(type, payload) });
};

/** A whole hash is left to `put`, which says of an unknown one that it is not a schema. */
function resolveType(store: Store, text: string): Hash {
  return parseHash(text) ?? resolveHash(store, text);
}
