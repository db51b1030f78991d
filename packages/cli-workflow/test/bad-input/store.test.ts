import { readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Doc, type Sandbox, sandbox } from "../support/uwf.js";
import { startMade, zoo } from "../support/workflows.js";

type Prepared = { readonly box: Sandbox; readonly thread: string; readonly head: string };

async function prepared(): Promise<Prepared> {
  const box = sandbox();
  return { box, ...(await startMade(box)) };
}

const node = ({ box, head }: Prepared): string => join(box.root, "cas", `${head}.bin`);

type Damage = readonly [name: string, damage: (at: Prepared) => void, code: string, message: string];

const NODES: readonly Damage[] = [
  ["is missing", (at) => rmSync(node(at)), "CHAIN_DAMAGED", "does not exist"],
  ["has zero bytes", (at) => truncateSync(node(at)), "CHAIN_DAMAGED", ".bin"],
  ["has trailing bytes", (at) => writeFileSync(node(at), "x", { flag: "a" }), "CHAIN_DAMAGED", ".bin"],
  [
    "is a folder",
    (at) => {
      rmSync(node(at));
      at.box.write(join(node(at), "x"), "");
    },
    "CHAIN_DAMAGED",
    ".bin",
  ],
  [
    "is a symlink out of the store",
    (at) => {
      rmSync(node(at));
      symlinkSync("/etc/hostname", node(at));
    },
    "CHAIN_DAMAGED",
    ".bin",
  ],
];

const FILES: readonly Damage[] = [
  [
    "threads.yaml is empty",
    ({ box }) => truncateSync(join(box.root, "threads.yaml")),
    "STORE_DAMAGED",
    "threads.yaml",
  ],
  [
    "threads.yaml is a list",
    ({ box }) => writeFileSync(join(box.root, "threads.yaml"), "- a\n"),
    "STORE_DAMAGED",
    "threads.yaml",
  ],
  [
    "threads.yaml is cut mid-line",
    ({ box }) => truncateSync(join(box.root, "threads.yaml"), 33),
    "STORE_DAMAGED",
    "threads.yaml",
  ],
  [
    "threads.yaml has no text",
    ({ box }) => writeFileSync(join(box.root, "threads.yaml"), new Uint8Array([0xff, 0, 1])),
    "STORE_DAMAGED",
    "threads.yaml",
  ],
  [
    "a history line is garbage",
    ({ box }) => writeFileSync(join(box.root, "history.jsonl"), "garbage\n"),
    "STORE_DAMAGED",
    "history.jsonl",
  ],
];

describe("a head whose node", () => {
  it.each(NODES)(
    "%s exits 7; list marks the thread, nothing changes",
    async (_name, damage, code, message) => {
      const at = await prepared();
      damage(at);
      const before = at.box.read("threads.yaml");
      const ran = await at.box.uwf(["thread", "step", at.thread, "--agent", zoo("valid")]);
      expect(ran).toMatchObject({ code: 7, stdout: "" });
      expect(ran.stderr).toContain(`error[${code}]`);
      expect(ran.stderr).toContain(message);
      const healthy = (await at.box.json(["thread", "start", "turns", "-p", "another"])).thread;
      const listed = await at.box.json<readonly Doc[]>(["thread", "list"]);
      expect(listed).toHaveLength(2);
      expect(listed.find((item: { thread: string }) => item.thread === at.thread)).toMatchObject({
        workflow: null,
        error: expect.any(String),
      });
      expect((await at.box.uwf(["thread", "step", healthy, "--agent", zoo("valid")])).code).toBe(0);
      expect(at.box.read("threads.yaml")).toContain(before.trim());
    },
  );
});

describe("an output that a condition looks at and that is damaged", () => {
  it("exits 7, not 5: it is not the condition's fault", async () => {
    const at = await prepared();
    const { head } = await at.box.json(["thread", "step", at.thread, "--agent", zoo("rejecting")]);
    const { payload } = await at.box.json(["cas", "get", head]);
    truncateSync(join(at.box.root, "cas", `${payload.output}.bin`));
    const ran = await at.box.uwf(["thread", "step", at.thread, "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain("error[CHAIN_DAMAGED]");
    expect(ran.stderr).toContain(`${payload.output}.bin`);
  });
});

describe("a detail that is gone", () => {
  it("is damage (7) for every command that reads the thread or the step", async () => {
    const at = await prepared();
    const { payload } = await at.box.json(["cas", "get", at.head]);
    rmSync(join(at.box.root, "cas", `${payload.detail}.bin`));
    for (const command of [
      ["thread", "read", at.thread],
      ["thread", "step-details", at.head],
    ]) {
      const ran = await at.box.uwf(command);
      expect(ran).toMatchObject({ code: 7, stdout: "" });
      expect(ran.stderr).toContain(
        `error[CHAIN_DAMAGED]: the history of ${at.head} is damaged at node ${payload.detail}`,
      );
    }
  });
});

describe("a storage root where", () => {
  it.each(FILES)("%s exits 7 and leaves the file untouched", async (_name, damage, code, message) => {
    const at = await prepared();
    damage(at);
    const before = at.box.snapshot();
    const commands = [
      ["thread", "step", at.thread, "--agent", zoo("valid")],
      ["thread", "list", "--all"],
      // A thread that is listed is looked up in the history by its id alone.
      ["thread", "show", message === "threads.yaml" ? at.thread : "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ];
    for (const command of commands) {
      const ran = await at.box.uwf(command);
      expect(ran).toMatchObject({ code: 7, stdout: "" });
      expect(ran.stderr).toContain(`error[${code}]`);
      expect(ran.stderr).toContain(message);
    }
    const start = await at.box.uwf(["thread", "start", "turns", "-p", "x"]);
    if (message === "threads.yaml") expect(start.code).toBe(7);
    expect(at.box.read(message)).toBe(
      message in before ? Buffer.from(before[message] ?? "", "latin1").toString("utf8") : "",
    );
  });

  it("threads.yaml was edited by hand keeps the comments", async () => {
    const at = await prepared();
    const edited = `# mine\n\n${at.box.read("threads.yaml").trim()}   # the login bug\n`;
    writeFileSync(join(at.box.root, "threads.yaml"), edited);
    const { head } = await at.box.json(["thread", "step", at.thread, "--agent", zoo("rejecting")]);
    const after = at.box.read("threads.yaml");
    expect(after).toContain("# mine");
    expect(after).toContain("# the login bug");
    expect(after).toContain(`"${head}"`);
  });

  it("the last history line is torn: readers skip it, the next writer cuts it off", async () => {
    const at = await prepared();
    await at.box.json(["thread", "step", at.thread, "--agent", zoo("valid")]);
    writeFileSync(join(at.box.root, "history.jsonl"), '{"thread":"01K', { flag: "a" });
    expect(await at.box.json(["thread", "show", at.thread])).toMatchObject({ done: true });
    const other = (await at.box.json(["thread", "start", "turns", "-p", "x"])).thread;
    await at.box.json(["thread", "kill", other]);
    const lines = at.box.read("history.jsonl").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).thread)).toEqual([at.thread, other]);
  });

  it("the last history line only lacks its newline counts, and is kept by the next writer", async () => {
    const at = await prepared();
    await at.box.json(["thread", "step", at.thread, "--agent", zoo("valid")]);
    const history = join(at.box.root, "history.jsonl");
    writeFileSync(history, at.box.read("history.jsonl").trimEnd());
    expect(await at.box.json(["thread", "show", at.thread])).toMatchObject({ done: true, reason: "end" });
    const other = (await at.box.json(["thread", "start", "turns", "-p", "x"])).thread;
    await at.box.json(["thread", "kill", other]);
    const lines = at.box.read("history.jsonl").split("\n");
    expect(lines.map((line) => (line === "" ? "" : JSON.parse(line).thread))).toEqual([at.thread, other, ""]);
  });

  it("the node store is of a newer format says so, and not that anything is damaged", async () => {
    const at = await prepared();
    writeFileSync(join(at.box.root, "cas", "_format"), "99\n");
    for (const command of ["show", "steps", "next"]) {
      const ran = await at.box.uwf(["thread", command, at.thread]);
      expect(ran.code).toBe(7);
      expect(ran.stderr).toContain("error[UNSUPPORTED_FORMAT]");
    }
  });

  it("a registry entry that is not a workflow exits 4", async () => {
    const at = await prepared();
    writeFileSync(join(at.box.root, "registry.yaml"), `turns: "${at.head}"\n`);
    const ran = await at.box.uwf(["thread", "start", "turns", "-p", "x"]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[WRONG_NODE_TYPE]");
  });

  it("the root is a file exits 74", async () => {
    const box = sandbox();
    const file = box.write("a-file", "");
    const ran = await box.uwf(["thread", "list"], { env: { UNCAGED_WORKFLOW_STORAGE_ROOT: file } });
    expect(ran.code).toBe(74);
    expect(ran.stderr).toContain("error[STORAGE_ROOT_UNUSABLE]");
  });

  it("nothing exists yet is empty, and reading it writes nothing", async () => {
    const box = sandbox();
    expect(await box.json<readonly Doc[]>(["thread", "list", "--all"])).toEqual([]);
    expect(await box.json(["workflow", "list"])).toEqual([]);
    expect(readdirSync(join(box.root, ".."))).not.toContain("storage");
  });

  it("without HOME and without a variable", async () => {
    const box = sandbox();
    const ran = await box.uwf(["thread", "list"], { env: { UNCAGED_WORKFLOW_STORAGE_ROOT: "", HOME: "" } });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("UNCAGED_WORKFLOW_STORAGE_ROOT");
  });
});

describe("a registered workflow whose node is gone", () => {
  it("is damage (7) that names the registry, not a node that the user typed", async () => {
    const { box } = await prepared();
    const { hash } = await box.json(["workflow", "show", "turns"]);
    rmSync(join(box.root, "cas", `${hash}.bin`));
    for (const command of [
      ["workflow", "show", "turns"],
      ["thread", "start", "turns", "-p", "x"],
    ]) {
      const ran = await box.uwf(command);
      expect(ran).toMatchObject({ code: 7, stdout: "" });
      expect(ran.stderr).toContain(`registry.yaml`);
      expect(ran.stderr).toContain(`turns is ${hash}, and there is no such node`);
    }
    expect((await box.uwf(["workflow", "show", hash])).code).toBe(3);
  });
});
