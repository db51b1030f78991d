import { type Hash, resolveHash } from "@uncaged/json-cas";
import {
  collectGarbage,
  type GcFigures,
  type GcOptions,
  type Root,
  type Trouble,
} from "@uncaged/json-cas-fs";
import type { CasHooks } from "../hooks/index.js";
import { shownList } from "./shown.js";
import type { Answer, CasCommand, Tools } from "./types.js";

type GcRequest = { readonly yes: boolean; readonly roots: readonly string[]; readonly graceMs: number };

/** For so long others wait for what a sweep holds; and so long it leaves it to them. */
const SLICE_MS = 500;
const PAUSE_MS = 60;

/** Work that began at a time may have written its first node in the same tick of a coarser clock. */
const CLOCK_MARGIN_MS = 1000;

export const gc: CasCommand<GcRequest> = async (tools, request) => {
  const given = request.roots.map((text) => resolveHash(tools.store, text));
  const hooks = (await tools.loadHooks?.()) ?? null;
  const cutoff = await cutoffOf(tools, request.graceMs, hooks);
  const hashes = shownList<Hash>();
  const problems = shownList<Trouble>();
  const figures = await collectGarbage(tools.dir, {
    ...options(tools, given, hooks),
    cutoff,
    remove: request.yes,
    removed: hashes.add,
    tell: (trouble, stops) => {
      tools.warn(
        `node ${trouble.hash} ${trouble.message}${byWhom(trouble)}${stops ? "" : " (nothing needs it)"}`,
      );
      problems.add(trouble);
    },
  });
  const lists = {
    hashes: hashes.list,
    hashesOmitted: hashes.omitted(),
    problems: problems.list,
    problemsOmitted: problems.omitted(),
  };
  return answer(tools, { ...figures, keptSince: new Date(cutoff).toISOString() }, lists, request.yes);
};

async function cutoffOf({ now }: Tools, graceMs: number, hooks: CasHooks | null): Promise<number> {
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

function byWhom({ referrer }: Trouble): string {
  return referrer === null ? "" : ` (referred to by ${referrer})`;
}

function answer(
  { warn, prefix }: Tools,
  figures: GcFigures & { readonly keptSince: string },
  lists: { readonly [name: string]: number | readonly (Hash | Trouble)[] },
  isRemoving: boolean,
): Answer {
  if (figures.refused) warn(REFUSED);
  else if (!isRemoving && figures.garbage > 0) warn(`nothing was removed: \`${prefix} gc --yes\` does`);
  return { document: { ...figures, ...lists }, exitCode: figures.refused ? 7 : 0 };
}

const REFUSED =
  "what hangs on a node that is missing or damaged cannot be known, so nothing (more) is removed: restore it from a backup, or take away what leads to it";
