import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { reportHtml, reportOf, type ThreadFacts } from "../../src/index.js";
import { facts, failure, hash, MINUTE, step, T0, used } from "../support/facts.js";
import { everywhere, HOSTILE } from "../support/hostile.js";

const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]/u;

const page = (given: ThreadFacts, details = true): Promise<string> =>
  reportHtml(reportOf(given), { details, index: null });

const parent = (): ThreadFacts =>
  facts([step("writer", 1), step("reviewer", 5), step("writer", 7)], {
    children: [0, 1].map((item) => ({
      role: "reviewer",
      item,
      head: "writer-1",
      thread: facts([step("writer", 2), step("reviewer", 3)], {
        start: { hash: hash("c"), task: "A part", at: 0 },
      }),
    })),
  });

describe("the page", () => {
  it("is the same for the same thread, byte by byte", async () => {
    expect(await page(parent())).toBe(await page(parent()));
  });

  it("allows nothing but its one style and its one script, by hash", async () => {
    const text = await page(parent());
    const sum = (code: string) => createHash("sha256").update(code).digest("base64");
    const style = sum(/<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "");
    const script = sum(/<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? "");
    expect(text).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${style}&#39;; script-src &#39;sha256-${script}&#39;;`,
    );
    expect(text.match(/<style|<script>/g)).toHaveLength(2);
    expect(text).not.toMatch(/\sstyle=|<link|<img|<iframe|\son\w+=["']|url\((?!#)/);
  });

  it("asks nothing of any network", async () => {
    const addresses = (await page(parent())).match(/\b(?:https?:)?\/\/[\w.]+/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set(["http://www.w3.org"]));
  });

  it("has every id once, in the threads inside of it too, and every link leads to one", async () => {
    const text = await page(parent());
    const ids = [...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    const links = [...text.matchAll(/\bhref="#([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toContain("s3");
    expect(ids).toContain("s2c1-s2");
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
    expect(links).toContain("s1");
  });

  it("says what the workflow is for, what its conditions mean, and at a step which of them led on", async () => {
    const source = { ...facts([]).workflow.source, description: "Writes and checks." };
    const taken = { condition: "rejected", expression: "true", value: true, error: null, taken: true };
    const decision = [{ ...taken, role: "writer" }];
    const text = await page(
      facts([step("writer", 1), step("reviewer", 2, { decision })], {
        workflow: { hash: hash("0WORKFLOW0000"), source },
      }),
    );
    expect(text).toContain("Writes and checks.");
    expect(text).toMatch(/<dt>rejected<\/dt><dd>Whether rejected<br><code>true<\/code><\/dd>/);
    expect(text.match(/<summary>.*<span class="mark">rejected → writer<\/span>.*<\/summary>/g)).toHaveLength(
      1,
    );
  });

  it("says at a step that threads have done how long they worked and what they cost", async () => {
    expect(await page(parent())).toMatch(
      /<strong>reviewer<\/strong>.* · drawn · worked 4 min 00 s · \$1\.00<\/span><\/summary>/,
    );
  });

  it.each(HOSTILE)("takes %j for a text wherever it stands", async (text) => {
    const given = await page(everywhere(text));
    const harmless = await page(everywhere("harmless"));
    const tags = (html: string) => html.match(/<\/?[a-z!][^\s>]*/gi) ?? [];
    // A summary that is cut, or a text that is too long for one line of the picture, changes no tag.
    expect(new Set(tags(given))).toEqual(new Set(tags(harmless)));
    // The name that a file is saved under is a text too, and stands in quotes.
    const body = given.slice(0, given.indexOf("<script")).replace(/ download="[^"<>]*"/g, "");
    expect(body).not.toMatch(/<[^>]*\son\w+=|javascript:[^<]*"/);
  });

  it("shows invisible characters", async () => {
    const text = await page(everywhere(HOSTILE[3] ?? ""));
    expect(text).toContain("[U+202E]gnp.exe[U+2066] [U+200B]␀␛[31m[U+FEFF][U+D800]");
    expect(text).not.toMatch(UNSEEN);
  });

  it("cuts texts that no browser should lay out, and says so", async () => {
    const text = await page(facts([step("writer", 1, { output: { text: "x".repeat(10_000_000) } })]));
    expect(text.length).toBeLessThan(500_000);
    expect(text).toContain("[9950000 more characters]");
  });

  it("leaves prompts, command lines, folders and stderr out if it is told so, and says that", async () => {
    const failures = [
      failure("writer", 0.5, { head: "start", stderr: "secret path", agent: "uwf-x --key 1" }),
    ];
    const texts = [{ title: "Prompt", text: "a secret" }];
    const given = facts([step("writer", 1, { cwd: "/secret folder", texts })], { failures });
    expect(await page(given)).toContain("uwf-test --option");
    expect(await page(given)).toContain("in /secret folder");
    expect(await page(given)).toContain("secret path");
    const shared = await page(given, false);
    expect(shared).not.toMatch(/--option|secret path|--key|secret folder|type="text\/plain"/);
    expect(shared).toContain("are left out");
  });
});

describe("the long texts of a page", () => {
  type Block = {
    readonly texts: readonly string[];
    readonly steps: Readonly<Record<string, readonly (readonly [string, number])[]>>;
  };
  const blocksOf = (text: string): readonly Block[] =>
    [...text.matchAll(/<script type="text\/plain" id="block-\d+">([^<]*)<\/script>/g)].map(([, packed]) => {
      const content = gunzipSync(Buffer.from(packed ?? "", "base64")).toString();
      const [first = ""] = content.split("\n");
      const { lengths, steps } = JSON.parse(first);
      let from = first.length + 1;
      const texts = (lengths as number[]).map((length) => {
        const begin = from;
        from += length;
        return content.slice(begin, from);
      });
      expect(from).toBe(content.length);
      return { texts, steps };
    });
  const thirty = () =>
    facts(
      Array.from({ length: 30 }, (_, at) =>
        step("writer", at + 1, {
          texts: [
            { title: "Prompt", text: "the same" },
            { title: "Reply", text: `reply ${at + 1}` },
          ],
        }),
      ),
    );

  it("are compressed in blocks of 25 steps, each text once per block", async () => {
    const blocks = blocksOf(await page(thirty()));
    expect(blocks.map(({ texts }) => texts.length)).toEqual([26, 6]);
    expect(blocks.map(({ steps }) => Object.keys(steps).length)).toEqual([25, 5]);
    expect(blocks[1]?.steps.s30).toEqual([
      ["Prompt", 0],
      ["Reply", 5],
    ]);
  });

  it("are named by their step, with the number of their block", async () => {
    const text = await page(thirty());
    expect(text).toContain('data-block="0" data-step="s25"');
    expect(text).toContain('data-block="1" data-step="s26"');
  });

  it("show invisible characters", async () => {
    const texts = [{ title: "Prompt", text: "\u202ex" }];
    expect(blocksOf(await page(facts([step("writer", 1, { texts })])))[0]?.texts).toEqual(["[U+202E]x"]);
  });
});

describe("what the page says", () => {
  const otherwise = { condition: null, expression: null, value: true, error: null };
  const unevaluated = (condition: string, role: string) => ({
    ...{ role, condition, expression: "$count(x) > 1", value: null, error: null, taken: false },
  });

  it("names the transition that was taken, and what conditions must have been that nobody has evaluated", async () => {
    const decision = [unevaluated("isBad", "writer"), { ...otherwise, role: "$END", taken: true }];
    const text = await page(facts([step("reviewer", 1, { decision })]));
    expect(text).toMatch(
      /<tr class=""><th scope="row">isBad<\/th>.*>false: the thread went on elsewhere<\/td><td class="target">→ writer<\/td>/,
    );
    expect(text).toMatch(/<tr class="taken"><th scope="row">otherwise<\/th>.*→ <strong>\$END<\/strong>/);
    expect(text).toMatch(/<summary>.*<span class="mark">otherwise → \$END<\/span>.*<\/summary>/);
    const led = [{ ...unevaluated("isBad", "writer"), taken: true }];
    expect(await page(facts([step("reviewer", 1, { decision: led })]))).toMatch(
      /isBad<\/th>.*>true: the thread went this way<\/td>/,
    );
  });

  it("does not say which of two conditions led on to the same role", async () => {
    const decision = [{ ...unevaluated("isBad", "writer"), taken: true }, unevaluated("isOld", "writer")];
    const text = await page(facts([step("reviewer", 1, { decision })]));
    expect(text.match(/>not evaluated for this report<\/td>/g)).toHaveLength(2);
    expect(text).not.toContain("the thread went");
  });

  it("shows what changed since the previous visit, with a link to it", async () => {
    const text = await page(
      facts([
        step("writer", 1, { output: { note: "Closed on Friday." } }),
        step("writer", 2, { output: { note: "Closed on Monday." } }),
      ]),
    );
    expect(text).toContain('compared with <a href="#s1">step 1</a>');
    expect(text).toContain("Closed on <del>Friday</del><ins>Monday</ins>.");
  });

  it("shows what changed in a role's reply", async () => {
    const reply = (text: string) => ({ reply: text });
    const text = await page(
      facts([step("writer", 1, reply("Closed on Friday.")), step("writer", 2, reply("Closed on Monday."))]),
    );
    expect(text).toContain(
      'Reply, compared with step 1</h3><div class="text">Closed on <del>Friday</del><ins>Monday</ins>.</div>',
    );
    expect(text).toMatch(/<h3>Reply<\/h3><div class="text">Closed on Friday\.<\/div>/);
  });

  it("says how long agents worked, people were asked, and nothing was going on", async () => {
    const answer = {
      by: "ada",
      at: T0 + 9 * MINUTE,
      via: "edit",
      question: "?",
      askedAt: T0 + 3 * MINUTE,
      timedOut: false,
    };
    const asked = step("reviewer", 9, { answer, free: true, durationMs: null });
    const text = await page(facts([step("writer", 2), asked, step("writer", 12)]));
    expect(text).toContain(
      "Of 12 min 00 s, agents worked for 2 min 00 s, people were asked for 6 min 00 s, and nothing was going on for 4 min 00 s.",
    );
  });

  it("tells who answered, how, and after how long", async () => {
    const answer = {
      by: "ada",
      at: T0 + 9 * MINUTE,
      via: "edit",
      question: "Well?",
      askedAt: T0,
      timedOut: false,
    };
    const text = await page(facts([step("reviewer", 9, { answer, free: true, durationMs: null })]));
    expect(text).toContain("answered by <strong>ada</strong> in an editor");
    expect(text).toMatch(/<span class="facts">ada after 9 min 00 s<\/span><\/summary>/);
    expect(text).toContain("9 min 00 s after the question");
  });

  it("says that the times of an answer are unknown", async () => {
    const answer = { by: "ada", at: null, via: "edit", question: "?", askedAt: null, timedOut: false };
    const text = await page(facts([step("reviewer", 9, { answer, free: true, durationMs: null })]));
    expect(text).toContain('<span class="facts">ada after an unknown time</span>');
    expect(text).toContain("at an unknown time, an unknown time after the question");
  });

  it("shows failed runs where they happened, and in red in the timeline", async () => {
    const failures = [failure("writer", 0.5, { head: "start", stderr: "no network" })];
    const text = await page(facts([step("writer", 1)], { failures }));
    expect(text).toContain('<span class="mark bad">1 failed run</span>');
    expect(text).toContain("it exited with 3");
    expect(text).toContain("no network");
    expect(text).toMatch(/<a href="#s1"><rect class="failure"/);
  });

  it("says of a failed run how long nothing happened after it, and what it cost", async () => {
    const failures = [
      failure("writer", 1, { head: "start" }),
      failure("writer", 5, { head: "start", usage: used(0.5) }),
    ];
    const text = await page(facts([step("writer", 9)], { failures }));
    expect(text).toContain("AGENT_FAILED · 30 s · cost unknown · run again 3 min 30 s later");
    expect(text).toContain("AGENT_FAILED · 30 s · $0.5000 · run again 3 min 00 s later");
  });

  it("says how to go on where the thread is stored, and how to check it", async () => {
    const text = await page(facts([step("writer", 1)]));
    expect(text).toContain("<code>uwf cas verify</code>");
    expect(text).toContain("<code>uwf thread fork writer-1</code>");
    expect(await page(facts([]))).toContain("<code>uwf thread fork start</code>");
  });

  it("draws the time of a step's threads as theirs, not as work of an agent", async () => {
    expect(await page(parent())).toMatch(
      /<rect class="threads"[^>]*><title>reviewer, step 2: its threads took/,
    );
  });

  it("draws time in which nothing worked as a gap, however long it was", async () => {
    const bars = async (minute: number) => {
      const text = await page(facts([step("writer", 1), step("reviewer", minute)]));
      expect(text).toContain(`nothing worked for ${minute === 3 ? "1 min 00 s" : "6 d 22 h"}`);
      return [...text.matchAll(/<rect class="step" x="([\d.]+)" y="\d+" width="([\d.]+)"/g)].map(
        ([, x, width]) => [Number(x), Number(width)],
      );
    };
    expect(await bars(3)).toEqual([
      [150, 388],
      [552, 388],
    ]);
    expect(await bars(10_000)).toEqual(await bars(3));
  });

  it("says that failed runs are unknown where the log cannot be read", async () => {
    expect(await page(facts([step("writer", 1)], { failures: null }))).toContain("failed runs are not known");
  });

  it("has a page for a thread that has not begun", async () => {
    const text = await page(facts([], { failures: [] }));
    expect(text).toContain("Write a note");
    expect(text).toContain("<dt>Steps</dt><dd>0</dd>");
  });
});
