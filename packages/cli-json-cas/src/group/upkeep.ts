import { type Command, InvalidArgumentError, Option } from "commander";
import { invoke } from "./invoke.js";
import { leaf } from "./leaf.js";
import { load } from "./load.js";
import type { CasContext } from "./types.js";

/** Commands for whoever looks after a store. */
export function mountUpkeep(group: Command, context: CasContext): void {
  leaf(group, context, "reindex", "build the index by type anew from the nodes", ["reindex"]).action(() =>
    invoke(context, load.reindex, {}),
  );
  mountVerify(group, context);
  mountGc(group, context);
  mountTransfer(group, context);
}

function mountVerify(group: Command, context: CasContext): void {
  leaf(
    group,
    context,
    "verify",
    "check every node: bytes, hash, schema, references, index; exit 7 when one is damaged",
    ["verify", "verify --repair", "verify | jq '.problems[].hash'"],
  )
    .option("--repair", "put right what can be: leftover files, nodes set aside, the index", false)
    .addHelpText("after", "\nA damaged node cannot be repaired: it is named, and its file is not touched.")
    .action(({ repair }: { readonly repair: boolean }) => invoke(context, load.verify, { repair }));
}

type GcFlags = {
  readonly yes: boolean;
  readonly root?: readonly string[];
  readonly acceptMissing?: readonly string[];
  readonly grace: number;
};

const DEFAULT_GRACE_MS = 3_600_000;

function mountGc(group: Command, context: CasContext): void {
  const isBare = context.loadHooks === null;
  const summary = isBare
    ? "list the nodes that no root reaches; --yes removes them"
    : "list the nodes that nothing reaches any more; --yes removes them";
  const examples = isBare
    ? ["gc --root 64KB4T4A9CKTS", "gc --root 64KB4T4A9CKTS --root 120VN86QG7052 --yes"]
    : ["gc", "gc --yes", "gc --grace 7d --yes"];
  const command = leaf(group, context, "gc", summary, examples)
    .option("--yes", "remove them", false)
    .addOption(grace())
    .option("--accept-missing <hash>", "go on without this node, which is gone (several times)", collect);
  const note = isBare ? "keep this node and what it reaches (several times)" : "a root more (several times)";
  if (isBare) command.requiredOption("--root <hash>", note, collect);
  else command.option("--root <hash>", note, collect);
  command
    .addHelpText(
      "after",
      "\nExit code 7, and nothing is removed, when a node that is needed is missing or damaged,\nunless --accept-missing names it.",
    )
    .action(({ yes, root, acceptMissing, grace }: GcFlags) =>
      invoke(context, load.gc, { yes, roots: root ?? [], accepted: acceptMissing ?? [], graceMs: grace }),
    );
}

function grace(): Option {
  return new Option("--grace <duration>", "keep what is younger: 90s, 30m, 1h, 7d")
    .argParser(duration)
    .default(DEFAULT_GRACE_MS, "1h");
}

function mountTransfer(group: Command, context: CasContext): void {
  const isBare = context.loadHooks === null;
  const what = isBare ? "hash" : "thread-or-hash";
  const first = isBare ? "64KB4T4A9CKTS" : "01KAJ5E8ZJ4N7XK3M9T2V6W8YB";
  leaf(group, context, `export <${what}...>`, "write these and everything they reach to one file", [
    `export ${first} -o backup.jsonl`,
    `export ${first} -o - | gzip > backup.jsonl.gz`,
  ])
    .requiredOption("-o, --output <file>", "where to; - is stdout")
    .option("--force", "replace the file if there is one", false)
    .action(
      (names: readonly string[], { output, force }: { readonly output: string; readonly force: boolean }) =>
        invoke(context, load.export, { names, output, force }),
    );

  leaf(group, context, "import [file]", "check an export from end to end, then store what is in it", [
    "import backup.jsonl",
    "import --from-root ~/old-store",
  ])
    .option("--from-root <dir>", "the nodes of this store instead, of an older or later json-cas too")
    .addHelpText(
      "after",
      "\nA file that is not whole and sound is refused (exit 4), and nothing is written.\nOf another store each node is taken whose bytes have its hash; what is left behind is named (exit 7).",
    )
    .action((file: string | undefined, { fromRoot }: { readonly fromRoot?: string }, command: Command) => {
      if ((file === undefined) === (fromRoot === undefined))
        command.error("error: give one of them, an export file or --from-root <dir>");
      return fromRoot === undefined
        ? invoke(context, load.import, { file: file ?? "" })
        : invoke(context, load.importRoot, { from: fromRoot });
    });
}

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `1h`, `7d` in ms; a bare number counts seconds. */
function duration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidArgumentError("It must be a number with s, m, h or d, as in 30m.");
  return Number(count) * (UNITS[unit || "s"] ?? 0);
}
