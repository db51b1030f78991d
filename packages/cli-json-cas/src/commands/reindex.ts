import { reindexStore } from "@uncaged/json-cas-fs";
import { done } from "./answer.js";
import type { CasCommand } from "./types.js";

export const reindex: CasCommand<Readonly<Record<never, never>>> = ({ dir }) => done(reindexStore(dir));
