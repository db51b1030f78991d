/// <reference lib="dom" />
import type { Page } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import { barriersOf, inScheme, SCHEMES } from "../../../workflow-report/test/support/accessibility.js";
import { browser, WIDTHS, watchedPage } from "../../../workflow-report/test/support/browser.js";
import { startUi } from "../support/ui.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

/** A thread that asks a person for an answer of this schema. */
async function asking(box: Sandbox, meta: object): Promise<string> {
  const role = {
    description: "Says it",
    goal: "",
    capabilities: [],
    procedure: "",
    output: "",
    agent: "human",
    meta,
  };
  const workflow = {
    name: "asking",
    description: "Asks a person",
    roles: { person: role },
    conditions: {},
    graph: { $START: [{ role: "person", condition: null }], person: [{ role: "$END", condition: null }] },
  };
  await box.json(["workflow", "put", box.write("asking.yaml", JSON.stringify(workflow))]);
  const { thread } = await box.json(["thread", "start", "asking", "-p", "Say it"]);
  expect((await box.uwf(["thread", "step", thread])).code).toBe(9);
  return thread;
}

type Asked = { readonly box: Sandbox; readonly thread: string; readonly page: Page };

async function formOf(meta: object): Promise<Asked> {
  const box = sandbox();
  const thread = await asking(box, meta);
  const ui = await startUi(box);
  const { page } = await watchedPage(WIDTHS.laptop, `http://127.0.0.1:${ui.port}/`);
  await page.goto(ui.url);
  await page.waitForSelector(`#rows a[href='#/${thread}']`);
  await page.click(`#rows a[href='#/${thread}']`);
  await page.waitForSelector("#answer");
  return { box, thread, page };
}

const field = (name: string): string => `#question [aria-label='${name}']`;

/** Chooses what reads so. */
async function choose(page: Page, name: string, text: string): Promise<void> {
  const value = await page.$eval(
    field(name),
    (select, wanted) =>
      [...(select as HTMLSelectElement).options].find((each) => each.text === wanted)?.value,
    text,
  );
  await page.select(field(name), value ?? `no ${text}`);
}

/** Presses Answer, and gives the output that was recorded. */
async function answered({ box, thread, page }: Asked): Promise<unknown> {
  await page.click("#answer");
  await page.waitForFunction(() => document.getElementById("answer") === null, { timeout: 60_000 });
  const { steps } = await box.json<{ steps: { output: unknown }[] }>(["thread", "steps", thread]);
  return steps.at(-1)?.output;
}

/** Presses Answer, and gives what the page says is wrong. */
async function refused({ page }: Asked): Promise<string> {
  await page.click("#answer");
  await page.waitForFunction(() => document.getElementById("wrong")?.textContent !== "", { timeout: 60_000 });
  return page.$eval("#wrong", (place) => place.textContent ?? "");
}

/** The words of `uwf thread answer` about the same. */
async function saidOf({ box, thread }: Asked, value: unknown): Promise<string> {
  const ran = await box.uwf(["thread", "answer", thread, "--file", "-"], { stdin: JSON.stringify(value) });
  expect(ran.code).toBe(4);
  return ran.stderr.replace(/^error\[INVALID_ANSWER\]: /, "").replace(/\nhint: [\s\S]*$/, "");
}

const text = { type: "string" };

describe.skipIf(browser === null)("the form of an answer", () => {
  it("has required fields first, in their order, and leaves out what uwf says by itself", async () => {
    const { page } = await formOf({
      type: "object",
      required: ["zeal", "comments", "answeredBy"],
      properties: {
        comments: text,
        zeal: { type: "integer" },
        answeredBy: text,
        timedOut: { type: "boolean" },
        a: text,
      },
    });
    const names = await page.$$eval("#question .field", (all) =>
      all.map((each) => each.firstChild?.textContent),
    );
    expect(names).toEqual(["zeal ", "comments ", "a (optional) "]);
  });

  it("takes texts, numbers, true or false, enums and constants", async () => {
    const asked = await formOf({
      type: "object",
      required: ["comments", "count", "sure", "verdict", "kind"],
      properties: {
        comments: { type: "string", description: "Why" },
        count: { type: "integer" },
        share: { type: "number" },
        sure: { type: "boolean" },
        verdict: { enum: ["good", 3, null] },
        kind: { const: "review" },
        urgent: { const: true },
        left: text,
      },
    });
    const { page } = asked;
    expect(await page.$eval("#question", (place) => place.textContent)).toContain("Why");
    await page.type(field("comments"), "12");
    await page.type(field("count"), "12");
    await page.type(field("share"), "0.5");
    await choose(page, "sure", "false");
    await choose(page, "verdict", "3");
    expect(await answered(asked)).toEqual({
      comments: "12",
      count: 12,
      share: 0.5,
      sure: false,
      verdict: 3,
      kind: "review",
    });
  });

  it("takes a constant that may be left out only when it is chosen", async () => {
    const asked = await formOf({ type: "object", properties: { urgent: { const: true } } });
    await choose(asked.page, "urgent", "true");
    expect(await answered(asked)).toEqual({ urgent: true });
  });

  it("takes lists, of objects with lists in them too", async () => {
    const file = {
      type: "object",
      required: ["path"],
      properties: { path: text, lines: { type: "array", items: { type: "integer" } } },
    };
    const asked = await formOf({
      type: "object",
      required: ["files", "notes"],
      properties: {
        files: { type: "array", items: file },
        notes: { type: "array", items: text },
        more: { type: "array", items: text },
      },
    });
    const { page } = asked;
    const add = (name: string) => page.click(`::-p-xpath(//button[text()='Add to ${name}'])`);
    await add("files");
    await page.type(field("path"), "a.ts");
    for (const [at, line] of ["1", "20"].entries()) {
      await add("lines");
      await page.type(field(`lines ${at + 1}`), line);
    }
    await add("files");
    expect(await answered(asked)).toEqual({ files: [{ path: "a.ts", lines: [1, 20] }], notes: [] });
  });

  it.each(["oneOf", "anyOf"])("takes one of several variants: %s", async (word) => {
    const hand = {
      type: "object",
      required: ["kind", "who"],
      properties: { kind: { const: "hand" }, who: text },
    };
    const machine = { type: "object", required: ["kind"], properties: { kind: { const: "machine" } } };
    const asked = await formOf({
      type: "object",
      required: ["place", "size"],
      properties: {
        place: { [word]: [hand, { ...machine, title: "By a machine" }] },
        size: { [word]: [{ type: "integer" }, text] },
      },
    });
    const { page } = asked;
    const kinds = await page.$eval(field("kind of place"), (select) =>
      [...(select as HTMLSelectElement).options].map((each) => each.text),
    );
    expect(kinds).toEqual(["", "kind: hand", "By a machine"]);
    await choose(page, "kind of place", "By a machine");
    await choose(page, "kind of place", "kind: hand");
    await page.type(field("who"), "ada");
    await choose(page, "kind of size", "string");
    await page.type(field("size"), "7");
    expect(await answered(asked)).toEqual({ place: { kind: "hand", who: "ada" }, size: "7" });
  });

  it("takes an answer whose whole is one of several variants, alone or beside fields", async () => {
    const yes = { type: "object", required: ["ok"], properties: { ok: { const: true } } };
    const no = { type: "object", required: ["ok", "why"], properties: { ok: { const: false }, why: text } };
    const alone = await formOf({ oneOf: [yes, no] });
    await choose(alone.page, "kind of answer", "ok: false");
    await alone.page.type(field("why"), "No time.");
    expect(await answered(alone)).toEqual({ ok: false, why: "No time." });

    const beside = await formOf({
      type: "object",
      required: ["note"],
      properties: { note: text },
      oneOf: [yes, no],
    });
    await beside.page.type(field("note"), "n");
    await choose(beside.page, "kind of answer", "ok: true");
    expect(await answered(beside)).toEqual({ note: "n", ok: true });
  }, 120_000);

  it("takes everything else as JSON, and a text where it is none", async () => {
    const asked = await formOf({
      type: "object",
      required: ["map", "maybe"],
      properties: { map: { type: "object" }, maybe: { type: ["string", "null"] }, any: {}, nothing: {} },
    });
    await asked.page.type(field("map (JSON)"), '{"a": [1]}');
    await asked.page.type(field("maybe (JSON)"), "not yet");
    await asked.page.type(field("any (JSON)"), "null");
    expect(await answered(asked)).toEqual({ map: { a: [1] }, maybe: "not yet", any: null });
  });

  it("says what is wrong in the words of the command, keeps what was typed, and takes it once it is mended", async () => {
    const asked = await formOf({
      type: "object",
      required: ["comments", "count", "map"],
      properties: {
        comments: { ...text, minLength: 3 },
        count: { type: "integer" },
        map: { type: "object" },
      },
    });
    const { page } = asked;
    expect(await refused(asked)).toBe(await saidOf(asked, {}));
    await page.type(field("comments"), "no");
    await page.type(field("count"), "many");
    await page.type(field("map (JSON)"), "{a: 1}");
    const wrong = await refused(asked);
    expect(wrong).toBe(await saidOf(asked, { comments: "no", count: "many", map: "{a: 1}" }));
    expect(wrong).toMatch(
      /^the answer as person is not valid:\n {2}\/comments: .*\n {2}\/count: .*\n {2}\/map: /,
    );
    for (const scheme of SCHEMES) {
      await inScheme(page, scheme);
      expect(await barriersOf(page), scheme).toEqual([]);
    }
    await page.type(field("comments"), "pe");
    for (const [name, value] of [
      ["count", "3"],
      ["map (JSON)", "{}"],
    ] as const) {
      await page.$eval(field(name), (area) => {
        (area as HTMLTextAreaElement).value = "";
      });
      await page.type(field(name), value);
    }
    expect(await answered(asked)).toEqual({ comments: "nope", count: 3, map: {} });
  }, 120_000);
});

describe.skipIf(browser === null)("the form of a start", () => {
  it("names each workflow, and starts none without a task", async () => {
    const box = sandbox();
    const thread = await asking(box, { type: "object", properties: { comments: text } });
    const ui = await startUi(box);
    const { page } = await watchedPage(WIDTHS.laptop, `http://127.0.0.1:${ui.port}/`);
    await page.goto(ui.url);
    await page.waitForSelector("#workflow option[value='asking']");
    await page.click("#start");
    await page.waitForFunction(() => document.getElementById("state")?.textContent === "the task is missing");
    expect(await box.json<{ thread: string }[]>(["thread", "list"])).toMatchObject([{ thread }]);
    await page.type("#task", "Say\nmore");
    await page.click("#start");
    await page.waitForFunction(() => location.hash.length > 10, { timeout: 60_000 });
    const started = (await page.evaluate(() => location.hash)).slice(2);
    const { steps } = await box.json<{ steps: { prompt: string }[] }>(["thread", "steps", started]);
    expect(steps[0]?.prompt).toBe("Say\nmore");
  });
});
