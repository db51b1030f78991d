import { computeHash, type Hash, isObject } from "@uncaged/json-cas";
import { TYPE } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { authority } from "../src/authority/authority.js";
import type { Deed } from "../src/authority/deeds.js";
import { breachesIn, type Facts } from "../src/authority/facts.js";
import { type Bundle, forge } from "../src/authority/forge.js";
import { OWNER, STRANGER, type Stage } from "../src/authority/stage.js";
import { MARK } from "../src/authority/texts.js";
import { randomOf, runKind } from "../src/frame.js";

describe("a changed export of a stranger", () => {
  it("starts, signals, continues, answers and deletes nothing that the unchanged one does not", {
    timeout: 300_000,
  }, async () => {
    const { figures, violations } = await runKind(authority, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures.exports).toBe(authority.sampleRounds);
    expect(figures["exports taken"]).toBeGreaterThan(4);
  });
});

const THREADS = { visit: "V", gate: "G", ended: "E", ship: "S", fresh: "F", keyed: "K", paper: "P" };
const stage = {
  world: { folder: "/stage", root: "/stage/storage", cwd: "/stage/project" },
  threads: THREADS,
  child: "C",
} as unknown as Stage;

function deed(name: string, change: Partial<Deed> = {}): Deed {
  const ran = { code: 0, signal: null, stdout: "{}", stderr: "" };
  return { name, args: [name], ran, starts: [], signals: [], ...change };
}

const facts = (deeds: readonly Deed[], change: Partial<Facts> = {}): Facts => ({
  deeds,
  own: new Map([["gate", "open"]]),
  nodes: new Map([["H" as Hash, "sum"]]),
  outside: new Map([["project/canary", "sum"]]),
  lines: new Map([["history.jsonl", "one\n"]]),
  ...change,
});

const started = (...argv: readonly string[]) => ({ argv, env: { PATH: "/bin" }, cwd: "/stage/project" });
const step = (...starts: readonly ReturnType<typeof started>[]): Deed => deed("step 0", { starts });
const said = (document: object) => ({ code: 0, signal: null, stdout: JSON.stringify(document), stderr: "" });
const imported = deed("import", { ran: said({ entries: [{ thread: "X", outcome: "added" }] }) });

describe("the harness sees", () => {
  const plain = facts([step(started("claude", "-p"))]);
  const seen = (changed: Facts): readonly string[] =>
    breachesIn(stage, plain.lines, plain, changed).map(({ promise }) => promise);

  it("nothing where nothing is wrong", () => {
    expect(seen(plain)).toEqual([]);
    expect(seen(facts([deed("step 3")]))).toEqual([]);
  });

  it.each<[string, Facts, string]>([
    [
      "an option that came out of a node",
      facts([step(started("claude", `--resume=${MARK}`))]),
      "no text of a node",
    ],
    [
      "a session of a stranger",
      facts([step(started("claude", "--resume", STRANGER.session))]),
      "no text of a node",
    ],
    ["another program", facts([step(started("sh", "-c"))]), "starts nothing that"],
    [
      "a second start",
      facts([step(started("claude", "-p"), started("claude", "-p"))]),
      "starts no more than",
    ],
    ["a signal", facts([deed("list", { signals: ["SIGTERM to 7"] })]), "nothing signalled"],
    [
      "an answered question",
      facts([], { own: new Map([["gate", "answered"]]) }),
      "the owner's threads are where they are",
    ],
    [
      "an imported thread in the place of a key",
      facts([imported, deed("new key", { ran: said({ thread: "X", existing: true }) })]),
      "no imported thread is taken",
    ],
    ["a lost node", facts([], { nodes: new Map() }), "no node of the owner"],
    ["a changed file", facts([], { outside: new Map([["project/canary", "other"]]) }), "nothing is written"],
    ["a lost line", facts([], { lines: new Map([["history.jsonl", ""]]) }), "no line of the owner"],
  ])("%s", (_what, changed, promise) => {
    expect(seen(changed)).toEqual(expect.arrayContaining([expect.stringContaining(promise)]));
  });

  it("a start that continues a session of the owner as what it is", () => {
    const own = facts([deed("own visit", { starts: [started("claude", "--resume", OWNER.session)] })]);
    expect(breachesIn(stage, own.lines, own, own)).toEqual([]);
  });
});

describe("a changed export", () => {
  const content = { text: "as it was" };
  const hash = computeHash(TYPE.content, content);
  const step = { role: "maker", agent: "uwf-claude", start: hash, prev: null, output: hash, detail: hash };
  const head = computeHash(TYPE.stepNode, step);
  const bundle: Bundle = {
    nodes: [
      { hash, type: TYPE.content, payload: content, timestamp: 1 },
      { hash: head, type: TYPE.stepNode, payload: step, timestamp: 2 },
    ],
    entries: [{ thread: "01ARZ3NDEKTSV4RRFFQ69G5FAV", head, ended: null }],
  };
  const texts = { option: ["--yes"], path: ["/"], key: ["release-7"] };
  const against = { texts, ids: ["01ARZ3NDEKTSV4RRFFQ69G5FAA"], parents: [], hashes: [hash] };

  it("has the hashes of its texts, which its references and its heads name", () => {
    const random = randomOf(1);
    const changed = new Set<string>();
    for (let round = 0; round < 300; round += 1) {
      const { bundle: made, how } = forge(bundle, against, random);
      if (how === "collision" || how === "reference" || how === "thread") continue;
      for (const node of made.nodes) {
        expect(node.hash).toBe(computeHash(node.type, node.payload));
        if (node.type === TYPE.content) changed.add(JSON.stringify(node.payload));
      }
      const hashes = new Set<unknown>(made.nodes.map((node) => node.hash));
      expect(hashes.has(made.entries[0]?.head)).toBe(true);
      for (const { payload } of made.nodes)
        if (isObject(payload) && "output" in payload) expect(hashes.has(payload.output)).toBe(true);
    }
    for (const text of ["--yes", "/", "release-7"]) expect(changed).toContain(JSON.stringify({ text }));
  });

  it("has other bytes under a hash of the owner's", () => {
    const random = randomOf(2);
    const forged = Array.from({ length: 100 }, () => forge(bundle, against, random));
    const nodes = forged.filter(({ how }) => how === "collision").flatMap((each) => each.bundle.nodes);
    expect(nodes.some((node) => node.hash === hash && node.payload !== content)).toBe(true);
  });
});
