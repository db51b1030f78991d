import { argument, optional } from "@uncaged/command-line";
import { type CasRef, err, type Fault, ok, type RegistryLine, type Result } from "@uncaged/workflow-protocol";
import { readNode } from "@uncaged/workflow-store";
import { defineRootCommand, HASH, REGISTERED } from "../../line/index.js";
import { misused } from "../output.js";
import { readName, setName } from "./names.js";

/** Gives the name back to an earlier version: the one before, or the one that is named. */
export const command = defineRootCommand({
  path: "workflow rollback",
  summary: "point a name to its previous version, or to one of its history",
  arguments: { name: argument(REGISTERED), hash: optional(HASH) },
  examples: ["uwf workflow rollback solve-issue", "uwf workflow rollback solve-issue 64KB4T4A9CKTS"],
  exits: ["LOCK_BUSY"],
  sample: {
    line: "workflow rollback solve-issue",
    prints: "solve-issue is now workflow 1MV05XPK04K7N, before E601WSNSJ4GTF",
  },
  run: async (context, { name, hash: prefix }, storage) => {
    const known = await readName(storage, context.host.cwd, name);
    if (!known.ok) return known;
    const { now, lines } = known.value;
    const named = new Set(lines.flatMap(({ hash, previous }) => [hash, previous]));
    const versions = [...named].filter((hash) => hash !== null);
    const wanted = prefix === null ? ok(before(lines, now)) : chosen(versions, prefix.toUpperCase());
    if (!wanted.ok) return noVersion(name, wanted.error);
    const hash = wanted.value;
    if (hash === null) return noVersion(name, "has no earlier version");
    const read = readNode(storage.cas, "workflow", hash);
    if (!read.ok) return read;
    const source = lines.find((line) => line.hash === hash)?.source ?? null;
    return setName(context, storage, name, { hash, source });
  },
});

function noVersion(name: string, why: string): Result<never, Fault> {
  return misused(`${name} ${why}`, `see \`uwf workflow history ${name}\``);
}

/** What the name pointed to before it came to where it is; of a removed name, what it pointed to. */
function before(lines: readonly RegistryLine[], now: CasRef | null): CasRef | null {
  return lines.find((line) => line.hash === now)?.previous ?? null;
}

function chosen(versions: readonly CasRef[], prefix: string): Result<CasRef, string> {
  const [first, second] = versions.filter((hash) => hash.startsWith(prefix));
  if (first === undefined) return err(`was never ${prefix}`);
  return second === undefined
    ? ok(first)
    : err(`was ${first} and ${second}, which both begin with ${prefix}`);
}
