import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Key, spellingsOf } from "./keys.js";

/** Where a key stands in the files of a storage root. `.env` is its home; a run under way is the agent's own. */
export function leaksIn(root: string, keys: readonly Key[]): readonly string[] {
  return filesBelow(root)
    .filter((file) => file !== ".env" && !file.startsWith("runs/"))
    .flatMap((file) => leaksInText(file, readFileSync(join(root, file)), keys));
}

/** Where a key stands in what was said: which one, how it was written, what stands around it. */
export function leaksInText(where: string, said: Buffer | string, keys: readonly Key[]): readonly string[] {
  const bytes = typeof said === "string" ? Buffer.from(said) : said;
  return keys.flatMap((key) =>
    spellingsOf(key).flatMap((spelling, form) => {
      const at = bytes.indexOf(spelling);
      if (at === -1) return [];
      const around = bytes.subarray(Math.max(0, at - 120), at + spelling.length + 20).toString("utf8");
      return [`${key.variable} (${FORMS[form]}) in ${where}: ${JSON.stringify(around)}`];
    }),
  );
}

const FORMS = ["as it is", "in a URL", "in Base64", "in JSON of JSON"];

function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
