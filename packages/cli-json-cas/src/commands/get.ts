import { done } from "./answer.js";
import { namedNode } from "./node.js";
import type { CasCommand } from "./types.js";

export const get: CasCommand<{ readonly hash: string; readonly timestamp: boolean }> = (
  { store },
  request,
) => {
  const { type, payload, timestamp } = namedNode(store, request.hash).node;
  return done(request.timestamp ? { type, payload, timestamp } : { type, payload });
};
