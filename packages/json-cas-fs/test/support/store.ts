import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Hash, type JsonValue, putSchema } from "@uncaged/json-cas";
import { createFsStore } from "../../src/index.js";
import { temporaryDir } from "./temp.js";

export const PERSON_SCHEMA: JsonValue = {
  title: "Person",
  type: "object",
  properties: { name: { type: "string" }, friend: { type: ["string", "null"], format: "cas_ref" } },
  required: ["name"],
  additionalProperties: false,
};

/** A store in a fresh folder, with one schema. */
export async function storeWithType() {
  const dir = join(temporaryDir(), "cas");
  const store = createFsStore(dir, { now: () => 1_700_000_000_000 });
  const type = await putSchema(store, PERSON_SCHEMA);
  return { dir, store, type };
}

/** Names in the folder that are not nodes, index or format. */
export function leftovers(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir).filter((name) => !/^([0-9A-Z]{13}\.bin|_index|_format)$/.test(name));
}

export function person(name: string, friend: Hash | null = null): JsonValue {
  return { name, friend };
}
