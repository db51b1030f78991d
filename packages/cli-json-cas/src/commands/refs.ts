import { refs as refsOfNode } from "@uncaged/json-cas";
import { done } from "./answer.js";
import { namedNode } from "./node.js";
import type { CasCommand } from "./types.js";

export const refs: CasCommand<{ readonly hash: string }> = ({ store }, { hash }) =>
  done({ refs: refsOfNode(store, namedNode(store, hash).node) });
