import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeNode, type Hash, type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { TYPE } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { secondPreimage } from "../../../json-cas/test/support/second-preimage.js";
import { RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

// XXH64 proves nothing against somebody who wants two contents with one hash. What an import brings is refused; here
// somebody has written into `cas/` itself.

const AT = 1_700_000_000_000;

/** A schema under which a node has no references: what would be garbage if it were believed. */
function forgedType(type: Hash): Uint8Array {
  const asSchema = (title: string): JsonValue => ({ type: "object", unevaluatedProperties: { title } });
  const payload = secondPreimage(type, META_SCHEMA_HASH, asSchema);
  return encodeNode({ type: META_SCHEMA_HASH, payload, timestamp: AT });
}

async function stepped(box: Sandbox): Promise<string> {
  const thread = await startTurns(box);
  await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
  return thread;
}

const file = (box: Sandbox, hash: string): string => join(box.root, "cas", `${hash}.bin`);

describe.each(RUNTIMES)("other content under the hash of a built-in type, on %s", (runtime) => {
  it("costs no node: gc removes nothing, verify and doctor name it, verify --repair writes the type again", async () => {
    const box = sandbox(runtime);
    const thread = await stepped(box);
    writeFileSync(file(box, TYPE.stepNode), forgedType(TYPE.stepNode));
    const gc = await box.uwf(["cas", "gc", "--grace", "0s", "--yes"]);
    expect(gc.code).toBe(7);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const verify = await box.uwf(["cas", "verify"]);
    expect(verify.code).toBe(7);
    expect(verify.stderr + verify.stdout).toContain("built-in type");
    expect((await box.uwf(["doctor"])).code).toBe(7);
    expect(await box.json(["cas", "verify", "--repair"])).toMatchObject({ damaged: 0 });
    expect(await box.json(["thread", "show", thread])).toMatchObject({ head });
    expect(await box.json(["cas", "gc", "--grace", "0s", "--yes"])).toMatchObject({ refused: false });
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });
});

it("an import brings no other content under the hash of a built-in type, or of a node that is there", async () => {
  const [from, to] = [sandbox(), sandbox()];
  const thread = await stepped(from);
  const { hash } = await from.json(["cas", "put-text", "a text that both have"]);
  await to.json(["cas", "put-text", "a text that both have"]);
  const payload = secondPreimage(hash as Hash, TYPE.content, (text) => ({ text }));
  writeFileSync(file(from, hash), encodeNode({ type: TYPE.content, payload, timestamp: AT }));
  const export_ = join(from.cwd, "text.pack");
  await from.json(["cas", "export", hash, "-o", export_]);
  const before = to.snapshot();
  for (const args of [[export_], ["--from-root", from.root]]) {
    const ran = await to.uwf(["cas", "import", ...args]);
    expect(ran.code, ran.stderr).toBe(7);
    expect(ran.stderr).toContain(`two different contents have the hash ${hash}`);
  }
  expect(to.snapshot()).toEqual(before);
  writeFileSync(file(from, TYPE.stepNode), forgedType(TYPE.stepNode));
  expect((await from.uwf(["cas", "export", thread, "-o", join(from.cwd, "thread.pack")])).code).toBe(7);
});
