import { statSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@uncaged/json-cas";
import { importRoot } from "@uncaged/json-cas-fs";
import { CasInputError } from "../fault/index.js";
import { shownList } from "./shown.js";
import type { CasCommand } from "./types.js";

/** Takes another store's nodes over, whoever has written it, and names those whose hash does not hold. */
export const importFromRoot: CasCommand<{ readonly from: string }> = ({ dir, now, warn }, { from }) => {
  const folder = storeIn(from);
  const problems = shownList<JsonObject>();
  const { writtenBy, ...figures } = importRoot(dir, folder, now, (hash, message) => {
    warn(`node ${hash}: ${message}`);
    problems.add({ hash, message });
  });
  if (writtenBy !== null)
    warn(`${folder} was written by ${writtenBy}, whose schemas have a type of their own`);
  if (figures.taken > 0) warn("no root leads to these nodes yet: a `gc --yes` removes what none reaches");
  const lists = { problems: problems.list, problemsOmitted: problems.omitted() };
  const document = { from: folder, writtenBy, ...figures, ...lists };
  return { document, exitCode: figures.taken === figures.nodes ? 0 : 7 };
};

/** The folder of nodes: itself, or `cas` in a storage root. */
function storeIn(path: string): string {
  const inside = join(path, "cas");
  if (isFolder(inside)) return inside;
  if (isFolder(path)) return path;
  throw new CasInputError({ code: "FILE_NOT_FOUND", path, reason: "it is no folder" });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
