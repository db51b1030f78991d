import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { reportHtml, reportOf, type ThreadFacts } from "../../src/index.js";
import { facts, failure, hash, MINUTE, step, T0 } from "../support/facts.js";

const HOSTILE = [
  '</title></style></script><script>alert("1")</script>',
  "<!--<img src=x onerror=alert(1)>-->",
  `"'onmouseover=alert(1) x="`,
  "\u202egnp.exe\u2066 \u200b\u0000\u001b[31m\ufeff\ud800",
  "javascript:alert(1)",
  "&lt;b&gt; &amp;",
];

const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]/u;

/** Every text that somebody else has written says the same. */
function everywhere(text: string): ThreadFacts {
  const answer = { by: text, at: T0 + MINUTE, via: text, question: text, askedAt: T0, timedOut: false };
  const transition = { condition: text, expression: text, value: text, taken: true };
  const decision = [
    { ...transition, role: "reviewer", error: null },
    { ...transition, role: text, error: text },
  ];
  const output = { [text]: text, list: [text, { [text]: text }] };
  const said = { output, reply: text, model: text, agent: text, decision };
  const failed = { stderr: text, message: text, code: text, agent: text };
  const base = facts([
    step("writer", 1, said),
    step("reviewer", 2, { ...said, answer }),
    step("writer", 3, { ...said, output: { ...output, more: text } }),
  ]);
  const { source } = base.workflow;
  return {
    ...base,
    workflow: {
      ...base.workflow,
      source: {
        ...source,
        name: text,
        description: text,
        conditions: {},
        graph: { ...source.graph, [text]: [] },
      },
    },
    start: { ...base.start, task: text },
    failures: [failure(text, 1.5, { ...failed, head: "writer-1" }), failure("writer", 9, failed)],
    held: { for: "answer", role: text, question: text, threads: [], since: T0, until: null, limit: null },
    decision,
  };
}

const page = (given: ThreadFacts, details = true): string => reportHtml(reportOf(given), { details });

const parent = (): ThreadFacts =>
  facts([step("writer", 1), step("reviewer", 5), step("writer", 7)], {
    children: [0, 1].map((item) => ({
      role: "reviewer",
      item,
      head: "writer-1",
      thread: facts([step("writer", 2), step("reviewer", 3)], { start: { hash: hash("c"), task: "A part" } }),
    })),
  });

describe("the page", () => {
  it("is the same for the same thread, byte by byte", () => {
    expect(page(parent())).toBe(page(parent()));
  });

  it("allows nothing but its own style, by hash", () => {
    const text = page(parent());
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
    const sum = createHash("sha256").update(style).digest("base64");
    expect(text).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${sum}&#39;;`);
    expect(text.match(/<style/g)).toHaveLength(1);
    expect(text).not.toMatch(/\sstyle=|<script|<link|<img|<iframe|\son\w+=|url\((?!#)/);
  });

  it("asks nothing of any network", () => {
    const addresses = page(parent()).match(/\b(?:https?:)?\/\/[\w.]+/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set(["http://www.w3.org"]));
  });

  it("has every id once, in the threads inside of it too, and every link leads to one", () => {
    const text = page(parent());
    const ids = [...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    const links = [...text.matchAll(/\bhref="#([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toContain("s3");
    expect(ids).toContain("s2c1-s2");
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
    expect(links).toContain("s1");
  });

  it.each(HOSTILE)("takes %j for a text wherever it stands", (text) => {
    const given = page(everywhere(text));
    const harmless = page(everywhere("harmless"));
    const tags = (html: string) => html.match(/<\/?[a-z!][^\s>]*/gi) ?? [];
    // A summary that is cut, or a text that is too long for one line of the picture, changes no tag.
    expect(new Set(tags(given))).toEqual(new Set(tags(harmless)));
    expect(given).not.toMatch(/<[^>]*\son\w+=|<script|javascript:[^<]*"/);
  });

  it("shows characters that nobody would see", () => {
    const text = page(everywhere(HOSTILE[3] ?? ""));
    expect(text).toContain("[U+202E]gnp.exe[U+2066] [U+200B]␀␛[31m[U+FEFF][U+D800]");
    expect(text).not.toMatch(UNSEEN);
  });

  it("cuts texts that no browser should lay out, and says so", () => {
    const text = page(facts([step("writer", 1, { output: { text: "x".repeat(10_000_000) } })]));
    expect(text.length).toBeLessThan(500_000);
    expect(text).toContain("[9950000 more characters]");
  });

  it("leaves command lines and stderr out if it is told so, and says that", () => {
    const failures = [
      failure("writer", 0.5, { head: "start", stderr: "secret path", agent: "uwf-x --key 1" }),
    ];
    const given = facts([step("writer", 1)], { failures });
    expect(page(given)).toContain("uwf-test --option");
    expect(page(given)).toContain("secret path");
    const shared = page(given, false);
    expect(shared).not.toMatch(/--option|secret path|--key/);
    expect(shared).toContain("are left out");
  });
});

describe("what the page says", () => {
  it("names the transition that was taken, and what nobody has evaluated", () => {
    const decision = [
      {
        role: "writer",
        condition: "isBad",
        expression: "$count(x) > 1",
        value: null,
        error: null,
        taken: false,
      },
      { role: "$END", condition: null, expression: null, value: true, error: null, taken: true },
    ];
    const text = page(facts([step("reviewer", 1, { decision })]));
    expect(text).toMatch(
      /<tr class=""><th scope="row">isBad<\/th>.*not evaluated<\/td><td class="target">→ writer<\/td>/,
    );
    expect(text).toMatch(/<tr class="taken"><th scope="row">otherwise<\/th>.*→ <strong>\$END<\/strong>/);
  });

  it("shows what changed since the previous visit, with a link to it", () => {
    const text = page(
      facts([
        step("writer", 1, { output: { note: "Closed on Friday." } }),
        step("writer", 2, { output: { note: "Closed on Monday." } }),
      ]),
    );
    expect(text).toContain('compared with <a href="#s1">step 1</a>');
    expect(text).toContain("Closed on <del>Friday</del><ins>Monday</ins>.");
  });

  it("tells who answered, how, and after how long", () => {
    const answer = {
      by: "ada",
      at: T0 + 9 * MINUTE,
      via: "edit",
      question: "Well?",
      askedAt: T0,
      timedOut: false,
    };
    const text = page(facts([step("reviewer", 9, { answer, free: true, durationMs: null })]));
    expect(text).toContain("answered by <strong>ada</strong> (edit)");
    expect(text).toContain("9 min 00 s after the question");
  });

  it("shows failed runs where they happened, and in red in the timeline", () => {
    const failures = [failure("writer", 0.5, { head: "start", stderr: "no network" })];
    const text = page(facts([step("writer", 1)], { failures }));
    expect(text).toContain('<span class="mark bad">1 failed run</span>');
    expect(text).toContain("it exited with 3");
    expect(text).toContain("no network");
    expect(text).toMatch(/<a href="#s1"><rect class="failure"/);
  });

  it("draws time in which nothing worked as a gap, however long it was", () => {
    const bars = (minute: number) => {
      const text = page(facts([step("writer", 1), step("reviewer", minute)]));
      expect(text).toContain(`nothing worked for ${minute === 3 ? "1 min 00 s" : "6 d 22 h"}`);
      return [...text.matchAll(/<rect class="step" x="([\d.]+)" y="\d+" width="([\d.]+)"/g)].map(
        ([, x, width]) => [Number(x), Number(width)],
      );
    };
    expect(bars(3)).toEqual([
      [150, 388],
      [552, 388],
    ]);
    expect(bars(10_000)).toEqual(bars(3));
  });

  it("says that failed runs are unknown where the log cannot be read", () => {
    expect(page(facts([step("writer", 1)], { failures: null }))).toContain("failed runs are not known");
  });

  it("has a page for a thread that has not begun", () => {
    const text = page(facts([], { failures: [] }));
    expect(text).toContain("Write a note");
    expect(text).toContain("<dt>Steps</dt><dd>0</dd>");
  });
});
