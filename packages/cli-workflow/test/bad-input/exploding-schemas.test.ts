import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";

const WRITE = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin/uwf-agent-write");

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** A workflow of one role whose field `found` has this schema. */
function workflow(found: object): string {
  const meta = { type: "object", properties: { found }, required: ["found"] };
  const role = { description: "d", goal: "g", capabilities: [], procedure: "p", output: "o", meta };
  const graph = {
    $START: [{ role: "finder", condition: null }],
    finder: [{ role: "$END", condition: null }],
  };
  return JSON.stringify({ name: "finds", description: "d", roles: { finder: role }, conditions: {}, graph });
}

/** Steps a thread of it with an agent whose output is `{found}`, and counts its starts. */
async function stepped(box: Sandbox, schema: object, found: unknown) {
  await box.json(["workflow", "put", box.write("finds.yaml", workflow(schema))]);
  const { thread } = await box.json(["thread", "start", "finds", "-p", "x"]);
  writeFileSync(join(box.cwd, "found.json"), JSON.stringify({ found }));
  const agent = box.write(
    "agent",
    `#!/bin/sh\necho x >> starts\nexec '${WRITE}' --output "$@" < found.json\n`,
  );
  chmodSync(agent, 0o755);
  return box.uwf(["thread", "step", thread, "--agent", `'${agent}'`]);
}

const objects = (count: number) => many(count, (n) => ({ id: n, name: `name ${n}` }));

describe("a role's schema that multiplies with its output", () => {
  it.each([
    [
      "fits none of 600 objects",
      { contains: { enum: objects(600) } },
      many(50_000, (n) => ({ id: -n })),
      "/found: expected at least 1",
    ],
    [
      "is too much to check",
      { items: { not: { anyOf: many(300, (n) => ({ pattern: `(a?){300}${n}$` })) } } },
      many(3_000, (n) => `a${n}b`),
      "a schema that can be checked with bounded work",
    ],
  ])(
    "fails the run with a sentence where the output %s",
    { timeout: 60_000 },
    async (_what, schema, found, words) => {
      const box = sandbox();
      const ran = await stepped(box, schema, found);
      expect(ran).toMatchObject({ code: 6, stdout: "" });
      expect(ran.stderr).toContain(words);
      expect(ran.stderr.length).toBeLessThan(20_000);
      expect(readFileSync(join(box.cwd, "starts"), "utf8")).toBe("x\n");
    },
  );

  it("lets the output through that fits", { timeout: 60_000 }, async () => {
    const box = sandbox();
    const found = [...many(50_000, (n) => ({ id: -n })), ...objects(600)];
    const ran = await stepped(box, { contains: { enum: objects(600) }, minContains: 600 }, found);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
  });

  it("is reported by `uwf cas schema validate` too", async () => {
    const box = sandbox();
    const schema = {
      $defs: {
        a: { type: "string" },
        ...Object.fromEntries(
          many(40, (n) => [
            `b${n}`,
            { allOf: many(2, () => ({ $ref: n === 0 ? "#/$defs/a" : `#/$defs/b${n - 1}` })) },
          ]),
        ),
      },
      $ref: "#/$defs/b39",
    };
    const put = await box.json(["cas", "schema", "put", JSON.stringify(schema)]);
    const ran = await box.uwf(["cas", "schema", "validate", put.hash, '"x"']);
    expect(ran.code).not.toBe(0);
    expect(`${ran.stdout}${ran.stderr}`).toContain("a schema that can be checked with bounded work");
  });
});
