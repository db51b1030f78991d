import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const FIXTURES = resolve(import.meta.dirname, "../fixtures/replay");

/** What a release decided after one step: the next role, and the value of each condition that was asked. */
export type Decision = {
  readonly step: string;
  readonly next: string | null;
  readonly values: readonly (readonly [condition: string | null, value: unknown, error: string | null])[];
};

/** The releases whose threads are kept. */
export const RELEASES: readonly string[] = readdirSync(FIXTURES)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.slice(0, -".json".length));

export function recorded(release: string): readonly Decision[] {
  return JSON.parse(readFileSync(join(FIXTURES, `${release}.json`), "utf8"));
}

/** Runs uwf on one storage root, demands exit 0, gives the document. */
type Uwf = (...args: readonly string[]) => {
  readonly entries: readonly { readonly thread: string }[];
  readonly steps: readonly { readonly hash: string }[];
  readonly thread: string;
  readonly next: string | null;
  readonly transitions: readonly {
    readonly condition: string | null;
    readonly value: unknown;
    readonly error: string | null;
  }[];
};

/** Takes the release's thread over into the storage root of `uwf`, and decides after each of its steps anew. */
export function replay(release: string, uwf: Uwf, folder: string): readonly Decision[] {
  const file = join(folder, `${release}.pack`);
  writeFileSync(file, gunzipSync(readFileSync(join(FIXTURES, `${release}.pack.gz`))));
  uwf("cas", "import", file);
  const [first] = uwf("thread", "list", "--all") as unknown as readonly { readonly thread: string }[];
  return uwf("thread", "steps", first?.thread ?? "").steps.map(({ hash }) => {
    const { thread } = uwf("thread", "fork", hash);
    const { next, transitions } = uwf("thread", "next", thread);
    return {
      step: hash,
      next,
      values: transitions.map(({ condition, value, error }) => [condition, value, error]),
    };
  });
}
