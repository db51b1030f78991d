import type { Command } from "commander";
import { mountNodes } from "./nodes.js";
import { mountSchemas } from "./schemas.js";
import type { CasContext } from "./types.js";
import { mountUpkeep } from "./upkeep.js";
import { mountWhole } from "./whole.js";

/**
 * Adds the commands of a json-cas store to `group`: `get put has refs walk list schema reindex verify gc export import du`.
 * Their actions throw `CasError` and `CasInputError` for expected failures; the program renders `error.fault`.
 */
export function mountCas(group: Command, context: CasContext): void {
  mountNodes(group, context);
  mountSchemas(group, context);
  mountWhole(group, context);
  mountUpkeep(group, context);
}
