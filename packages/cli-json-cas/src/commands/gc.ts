import { flag, list, usually } from "@uncaged/command-line";
import {
  CasError,
  type Hash,
  type JsonObject,
  type JsonValue,
  parseHash,
  resolveHash,
} from "@uncaged/json-cas";
import {
  collectGarbage,
  type GcFigures,
  type GcOptions,
  type Root,
  type Trouble,
} from "@uncaged/json-cas-fs";
import {
  type Answer,
  type BrokenReference,
  type CasHooks,
  DURATION,
  defineCommand,
  HASH,
  type Mount,
  type Tools,
} from "../define.js";
import { fieldIn, firstInPack, readReferrers, shownList, withPlaces, wordsOf } from "./nodes.js";

type GcRequest = {
  readonly yes: boolean;
  readonly root: readonly string[];
  /** Hashes of nodes that may be missing. */
  readonly acceptMissing: readonly string[];
  /** Ms. */
  readonly grace: number;
};

/** How long one slice of a sweep holds the lock, and how long it then leaves it to others. */
const SLICE_MS = 500;
const PAUSE_MS = 60;

/** gc packs what it keeps when more nodes than that have files of their own. */
const MOST_LOOSE = 5000;

/** Work that began at a time may have written its first node in the same tick of a coarser clock. */
const CLOCK_MARGIN_MS = 1000;

const DEFAULT_GRACE_MS = 3_600_000;

export const command = defineCommand(({ hasNames }: Mount) => ({
  path: "gc",
  summary: hasNames
    ? "list unreachable nodes; --yes removes them"
    : "list the nodes that no root reaches; --yes removes them",
  options: {
    yes: flag("remove them"),
    grace: usually(DURATION, DEFAULT_GRACE_MS, "keep nodes younger than this: 90s, 30m, 1h, 7d", {
      shown: "1h",
    }),
    acceptMissing: list(HASH, "continue without this node, which is gone (repeatable)"),
    root: list(
      HASH,
      hasNames ? "an additional root (repeatable)" : "keep this node and what it reaches (repeatable)",
      { required: !hasNames },
    ),
  },
  examples: hasNames
    ? ["gc", "gc --yes", "gc --grace 7d --yes"]
    : ["gc --root 64KB4T4A9CKTS", "gc --root 64KB4T4A9CKTS --root 120VN86QG7052 --yes"],
  notes:
    "Exit code 7, and nothing is removed, when a needed node is missing or damaged,\nunless --accept-missing names it.",
  exits: ["LOCK_BUSY"],
  sample: { line: "gc", prints: "nothing to remove: 56 nodes…" },
  run: gc,
}));

async function gc(tools: Tools, request: GcRequest): Promise<Answer> {
  const given = request.root.map((text) => resolveHash(tools.store, text));
  const hooks = (await tools.loadHooks?.()) ?? null;
  const cutoff = await findCutoff(tools, request.grace, hooks);
  const hashes = shownList<Hash>();
  const problems = shownList<Problem>();
  const figures = await collectGarbage(tools.dir, {
    ...options(tools, given, hooks),
    cutoff,
    pack: { above: MOST_LOOSE, first: () => firstInPack(tools), now: tools.now },
    remove: request.yes,
    removed: hashes.add,
    accepted: new Set(request.acceptMissing.map(wholeHash)),
    tell: (trouble, stops, root) => problems.add({ trouble, stops, root }),
  });
  const places = problems.list.length === 0 ? [] : await readReferrers(tools);
  const problemLines = problems.list.map((problem) => tellProblem(tools, problem, { places, hooks }));
  const lists = {
    hashes: hashes.list,
    hashesOmitted: hashes.omitted(),
    problems: problemLines,
    problemsOmitted: problems.omitted(),
  };
  const missing = problems.list.filter(({ trouble, stops }) => stops && trouble.kind === "missing");
  const document = { ...figures, keptSince: new Date(cutoff).toISOString(), ...lists };
  return answer(tools, document, {
    isRemoving: request.yes,
    missing: [...new Set(missing.map(({ trouble }) => trouble.hash))],
  });
}

async function findCutoff({ now }: Tools, graceMs: number, hooks: CasHooks | null): Promise<number> {
  const since = await hooks?.busySince();
  const cutoff = Math.max(0, now() - graceMs);
  return since === null || since === undefined ? cutoff : Math.min(cutoff, since - CLOCK_MARGIN_MS);
}

function options({ now }: Tools, given: readonly Hash[], hooks: CasHooks | null) {
  const roots = async (tell: (root: Root) => void): Promise<void> => {
    for (const hash of given) tell({ hash, label: "given", required: true });
    await hooks?.roots(tell);
  };
  return {
    roots,
    hold: hooks?.hold ?? (<T>(work: () => Promise<T>) => work()),
    pause: () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS)),
    startSlice: () => {
      const end = now() + SLICE_MS;
      return () => now() >= end;
    },
  } satisfies Partial<GcOptions>;
}

type Problem = { readonly trouble: Trouble; readonly stops: boolean; readonly root: Root | null };

type Known = { readonly places: readonly BrokenReference[]; readonly hooks: CasHooks | null };

function tellProblem(
  tools: Tools,
  { trouble, stops, root }: Problem,
  { places: all, hooks }: Known,
): JsonValue {
  const places = all.filter(
    ({ hash, referrer }) =>
      hash === trouble.hash && (trouble.referrer === null || referrer === trouble.referrer),
  );
  const onlyIn = stops || root === null ? null : (hooks?.placeOfRoot(root) ?? root.label);
  const why = stops
    ? ""
    : onlyIn === null
      ? " (nothing needs it)"
      : ` (only ${onlyIn} leads there; gc goes on)`;
  tools.warn(`node ${trouble.hash} ${trouble.message}${byWhom(tools, trouble)}${why}${wordsOf(places)}`);
  return withPlaces(onlyIn === null ? { ...trouble } : { ...trouble, onlyIn }, places);
}

function byWhom({ store }: Tools, { hash, referrer }: Trouble): string {
  return referrer === null ? "" : ` (referred to by ${referrer}${fieldIn(store, referrer, hash)})`;
}

function wholeHash(text: string): Hash {
  const hash = parseHash(text);
  // A node that is gone has no prefix that could be looked up.
  if (hash === null) throw new CasError({ code: "MALFORMED_HASH", value: text });
  return hash;
}

type Outcome = { readonly isRemoving: boolean; readonly missing: readonly Hash[] };

function answer(
  { warn, prefix }: Tools,
  document: JsonObject & GcFigures,
  { isRemoving, missing }: Outcome,
): Answer {
  const { refused, garbage } = document;
  if (refused) warn(REFUSED);
  else if (!isRemoving && garbage > 0) warn(`nothing was removed; \`${prefix} gc --yes\` removes them`);
  if (refused && missing.length > 0) warn(acceptance(prefix, missing));
  return { document, exitCode: refused ? 7 : 0 };
}

const REFUSED =
  "what a missing or damaged node refers to is unknown, so nothing (more) is removed: restore it from a backup, or remove what refers to it";

const MOST_NAMED = 20;

function acceptance(prefix: string, missing: readonly Hash[]): string {
  const flags = missing.slice(0, MOST_NAMED).map((hash) => ` --accept-missing ${hash}`);
  return `if it is gone for good, \`${prefix} gc${flags.join("")}\` treats it as a node without references`;
}
