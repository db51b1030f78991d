import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@uncaged/json-cas";
import { blowUp } from "./schemas.js";

/** A text, or parts of one: what would be megabytes is written as its recipe. */
export type Recipe = string | readonly Part[];

type Part =
  | string
  | { readonly repeat: string; readonly times: number }
  /** `#` becomes the number of the repetition. */
  | { readonly count: string; readonly times: number }
  /** Each repetition is indented by one blank more. */
  | { readonly indent: string; readonly times: number };

/** The texts of a corpus; there is at least one. */
export function corpus(
  name: "expressions" | "yaml" | "replies" | "terminal" | "paths",
): readonly [string, ...string[]] {
  const [first, ...rest] = (read(name) as readonly Recipe[]).map(cook);
  if (first === undefined) throw new Error(`the corpus ${name} is empty`);
  return [first, ...rest];
}

/** JSON Schemas that cost much for their size. */
export function schemaCorpus(): readonly JsonObject[] {
  return (read("schemas") as readonly JsonObject[]).map(blowUp);
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), "utf8"));
}

function cook(recipe: Recipe): string {
  return typeof recipe === "string" ? recipe : recipe.map(cookPart).join("");
}

function cookPart(part: Part): string {
  if (typeof part === "string") return part;
  if ("repeat" in part) return part.repeat.repeat(part.times);
  const numbers = Array.from({ length: part.times }, (_, index) => index);
  if ("count" in part) return numbers.map((number) => part.count.replaceAll("#", String(number))).join("");
  return numbers.map((number) => " ".repeat(number) + part.indent).join("");
}
