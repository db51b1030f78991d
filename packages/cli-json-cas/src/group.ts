import type { JsonValue } from "@uncaged/json-cas";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnswerCode, CasCommand, OpenCas } from "./commands/index.js";
import type { CasHooks } from "./hooks.js";
import { load } from "./load.js";

/** What the program that mounts the group provides. */
export type CasContext = {
  /** What a person types before the verb: `uwf cas`. Examples in the help start with it. */
  readonly prefix: string;
  /** Called when a command runs, not before; whatever it throws passes through the action. */
  readonly openStore: () => OpenCas;
  /** Prints the document of a command on stdout; the process ends with `exitCode` (not 0 is an answer, no failure). */
  readonly print: (document: JsonValue, exitCode: AnswerCode) => void | Promise<void>;
  /** A line for the person, on stderr. */
  readonly warn: (sentence: string) => void;
  /** All of stdin, until its end. */
  /** `null`: more than `limit` bytes. */
  readonly readStdin: (limit: number) => Uint8Array | null;
  /** Writes to stdout as it is: `export -o -`. */
  readonly write: (bytes: Uint8Array) => void;
  /** Epoch ms. */
  readonly now: () => number;
  /** What the program knows beyond the store; loaded by the commands that ask for it. `null`: a store and nothing else. */
  readonly loadHooks: (() => Promise<CasHooks>) | null;
  /** Applied to every command of the group: adds the options that the program takes everywhere. */
  readonly configure: (command: Command) => Command;
};

/** Loads a command, runs it on the context's store and prints its answer. */
async function invoke<Request>(
  context: CasContext,
  load: () => Promise<CasCommand<Request>>,
  request: Request,
): Promise<void> {
  const command = await load();
  const { warn, readStdin, write, now, prefix, loadHooks } = context;
  const tools = { ...context.openStore(), warn, readStdin, write, now, prefix, loadHooks };
  const answer = await command(tools, request);
  if (answer.document !== null) await context.print(answer.document, answer.exitCode);
}

/** A command of the group with its examples, which come first in its help. */
function leaf(
  parent: Command,
  context: CasContext,
  usage: string,
  summary: string,
  examples: readonly string[],
): Command {
  const lines = examples.map((example) => `  $ ${context.prefix} ${example}\n`).join("");
  return context
    .configure(parent.command(usage).description(summary))
    .addHelpText("before", `Examples:\n${lines}`);
}

/** Commands about one node. */
function mountNodes(group: Command, context: CasContext): void {
  leaf(group, context, "get <hash>", "print a node: {type, payload}", [
    "get 64KB4T4A9CKTS",
    "get 64KB --timestamp",
  ])
    .option("--timestamp", "also print the time of the first put (epoch ms)", false)
    .action((hash: string, { timestamp }: { readonly timestamp: boolean }) =>
      invoke(context, load.get, { hash, timestamp }),
    );

  leaf(group, context, "put <type-hash> <json>", "store a payload under its schema, print {hash}", [
    `put 120VN86QG7052 '{"name": "Ada"}'`,
    "put 120VN86QG7052 payload.json",
    "put 120VN86QG7052 - < payload.json",
  ])
    .addHelpText("after", JSON_HELP)
    .action((type: string, json: string) => invoke(context, load.put, { type, json }));

  leaf(group, context, "has <hash>", "print {exists}; exit 0 or 3", ["has 64KB4T4A9CKTS"]).action(
    (hash: string) => invoke(context, load.has, { hash }),
  );

  leaf(group, context, "refs <hash>", "print the references of a node: {refs}", [
    "refs 64KB4T4A9CKTS",
  ]).action((hash: string) => invoke(context, load.refs, { hash }));
  mountWalk(group, context);
}

function mountWalk(group: Command, context: CasContext): void {
  leaf(group, context, "walk <hash>", "print everything a node reaches, nearest first: {hashes, missing}", [
    "walk 64KB4T4A9CKTS",
    "walk 64KB4T4A9CKTS --tree",
    "walk 64KB4T4A9CKTS --types",
  ])
    .option("--tree", "also print the tree: one line {depth, hash, type, repeated} per place", false)
    .option("--types", "follow types as well as references", false)
    .addHelpText("after", "\nExit code 7 when a node is missing.")
    .action((hash: string, { tree, types }: { readonly tree: boolean; readonly types: boolean }) =>
      invoke(context, load.walk, { hash, tree, types }),
    );
}

const JSON_HELP = `
<json> is - for stdin, JSON itself when it starts with { [ " a digit - t f n, else the path of a file
(./true.json for one whose name starts like JSON).`;

function mountSchemas(group: Command, context: CasContext): void {
  const schema = leaf(group, context, "schema", "store and inspect JSON Schemas, the types of nodes", [
    "schema list",
    `schema put '{"type": "object", "properties": {"name": {"type": "string"}}}'`,
  ]).helpCommand(false);

  leaf(schema, context, "put <json>", "store a JSON Schema (2020-12), print {hash}", [
    `schema put '{"title": "Person", "type": "object"}'`,
    "schema put person.schema.json",
  ])
    .addHelpText("after", JSON_HELP)
    .action((json: string) => invoke(context, load.schemaPut, { json }));

  leaf(schema, context, "get <hash>", "print a schema", ["schema get 120VN86QG7052"]).action((hash: string) =>
    invoke(context, load.schemaGet, { hash }),
  );

  leaf(schema, context, "list", "print all schemas: [{hash, title}], the meta-schema first", [
    "schema list",
  ]).action(() => invoke(context, load.schemaList, {}));

  leaf(
    schema,
    context,
    "validate <hash> [json]",
    "print {valid, violations} for a stored node, or for JSON against the schema <hash>; exit 0 or 4",
    ["schema validate 64KB4T4A9CKTS", `schema validate 120VN86QG7052 '{"name": 1}'`],
  )
    .addHelpText("after", JSON_HELP)
    .action((hash: string, json: string | undefined) =>
      invoke(context, load.schemaValidate, { hash, json: json ?? null }),
    );
}

/** Maintenance commands. */
function mountUpkeep(group: Command, context: CasContext): void {
  leaf(group, context, "reindex", "rebuild the index by type from the nodes, and damaged indexes of packs", [
    "reindex",
  ]).action(() => invoke(context, load.reindex, {}));
  mountVerify(group, context);
  leaf(group, context, "pack", "put nodes that have files of their own into one file: {packed, pack, …}", [
    "pack",
  ])
    .addHelpText(
      "after",
      "\nA packed store takes a tenth of the disk. Nothing else changes: nodes are read, verified and collected as\nbefore, and new ones get files again; only long traces are packs from the start. gc packs what it keeps when\nmore than 5,000 nodes have files or there are more than 32 packs.",
    )
    .action(() => invoke(context, load.pack, {}));
  mountGc(group, context);
  mountTransfer(group, context);
}

function mountVerify(group: Command, context: CasContext): void {
  leaf(
    group,
    context,
    "verify",
    "check every node and pack: bytes, hash, schema, references, index; exit 7 if any is damaged",
    ["verify", "verify --repair", "verify | jq '.problems[].hash'"],
  )
    .option("--repair", "repair what can be repaired: leftover files, nodes set aside, indexes", false)
    .addHelpText("after", "\nA damaged node cannot be repaired: it is listed, and its file is left as it is.")
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
    : "list the nodes that nothing reaches; --yes removes them";
  const examples = isBare
    ? ["gc --root 64KB4T4A9CKTS", "gc --root 64KB4T4A9CKTS --root 120VN86QG7052 --yes"]
    : ["gc", "gc --yes", "gc --grace 7d --yes"];
  const command = leaf(group, context, "gc", summary, examples)
    .option("--yes", "remove them", false)
    .addOption(grace())
    .option("--accept-missing <hash>", "continue without this node, which is gone (repeatable)", collect);
  const note = isBare ? "keep this node and what it reaches (repeatable)" : "an additional root (repeatable)";
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
  return new Option("--grace <duration>", "keep nodes younger than this: 90s, 30m, 1h, 7d")
    .argParser(duration)
    .default(DEFAULT_GRACE_MS, "1h");
}

type ImportFlags = { readonly fromRoot?: string; readonly restore?: boolean };

/** `export` and `import` alone, for a program that has them in another group too. */
export function mountTransfer(group: Command, context: CasContext): void {
  const isBare = context.loadHooks === null;
  const what = isBare ? "hash" : "thread-or-hash";
  const first = isBare ? "64KB4T4A9CKTS" : "01KAJ5E8ZJ4N7XK3M9T2V6W8YB";
  leaf(group, context, `export <${what}...>`, "write these and everything they reach to one file", [
    `export ${first} -o backup.pack`,
    `export ${first} -o - | gzip > backup.pack.gz`,
  ])
    .requiredOption("-o, --output <file>", "output file; - is stdout")
    .option("--force", "replace an existing file", false)
    .action(
      (names: readonly string[], { output, force }: { readonly output: string; readonly force: boolean }) =>
        invoke(context, load.export, { names, output, force }),
    );

  const import_ = leaf(group, context, "import [file]", "check an export completely, then store its nodes", [
    "import backup.pack",
    ...(isBare ? [] : ["import backup.pack --restore"]),
    "import --from-root ~/old-store",
  ]);
  if (!isBare)
    import_.option(
      "--restore",
      "restore this storage root's own threads: keys find them again, and parents their children",
      false,
    );
  import_
    .option("--from-root <dir>", "import the nodes of this store instead, even of another json-cas version")
    .addHelpText(
      "after",
      "\nAn incomplete or damaged file is refused (exit 4), and nothing is written.\nFrom another store every node is imported whose bytes match its hash; the others are listed (exit 7).",
    )
    .action((file: string | undefined, { fromRoot, restore = false }: ImportFlags, command: Command) => {
      if ((file === undefined) === (fromRoot === undefined))
        command.error("error: give one of them, an export file or --from-root <dir>");
      if (restore && file === undefined) command.error("error: --restore is for an export file");
      return fromRoot === undefined
        ? invoke(context, load.import, { file: file ?? "", restore })
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

/** Commands about the complete store. */
function mountWhole(group: Command, context: CasContext): void {
  leaf(group, context, "list", "print the hashes of all nodes: {hashes}", [
    "list",
    "list --type 120VN86QG7052",
  ])
    .option("--type <hash>", "only nodes of this type")
    .action(({ type }: { readonly type?: string }) => invoke(context, load.list, { type: type ?? null }));

  leaf(group, context, "du", DU[context.loadHooks === null ? "bare" : "owned"], [
    "du",
    "du | jq '.types[0]'",
  ]).action(() => invoke(context, load.du, {}));
}

const DU = {
  bare: "print the size of the nodes: {nodes, bytes, types}",
  owned: "print the size of the nodes by type and by owner: {nodes, bytes, types, …}",
};

/**
 * Adds the commands of a json-cas store to `group`: `get put has refs walk list schema reindex verify pack gc export import du`.
 * Their actions throw `CasError` and `CasInputError` for expected failures; the program renders `error.fault`.
 */
export function mountCas(group: Command, context: CasContext): void {
  mountNodes(group, context);
  mountSchemas(group, context);
  mountWhole(group, context);
  mountUpkeep(group, context);
}
