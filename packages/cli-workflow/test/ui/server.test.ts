import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { asked, openLive, startUi, type Ui } from "../support/ui.js";
import { MOCK, type Sandbox, SCRIPT_RUNNER, sandbox, until, ZOO } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

describe("what uwf ui refuses", () => {
  it.each([
    ["another host, as after DNS rebinding", 421, { Host: "rebound.test" }],
    ["localhost by its name", 421, { Host: "localhost" }],
    ["another port of the same host", 421, { Host: "127.0.0.1:1" }],
    ["another page", 403, { Origin: "http://rebound.test" }],
    ["a page of another port", 403, { Origin: "http://127.0.0.1:1" }],
    ["a page without an origin (a file, a sandbox)", 403, { Origin: "null" }],
    ["no token", 401, { Authorization: "" }],
    ["another token", 401, { Authorization: "Bearer 0123456789abcdef01234567" }],
    ["a token as a cookie", 401, { Authorization: "", Cookie: "token=x" }],
  ])("is %s: %i", async (_, status, headers) => {
    const ui = await startUi(box);
    for (const path of ["/api/overview", "/api/live", "/api/thread/01KAJ5E8ZJ4N7XK3M9T2V6W8YB"]) {
      expect((await asked(ui, { path, headers })).status).toBe(status);
    }
    const start = { action: "start", workflow: "turns", prompt: "x" };
    expect((await asked(ui, { path: "/api/do", method: "POST", headers, body: start })).status).toBe(status);
    expect((await box.uwf(["thread", "list"])).stdout).toBe("[]\n");
  });

  it("is a change without an origin", async () => {
    const ui = await startUi(box);
    const given = { path: "/api/do", method: "POST", headers: { Origin: "" }, body: {} };
    expect((await asked(ui, given)).status).toBe(403);
    expect((await asked(ui, { path: "/api/overview", headers: { Origin: "" } })).status).toBe(200);
  });

  it("is the page itself on another host, but not without the token, of which it knows nothing", async () => {
    const ui = await startUi(box);
    expect((await asked(ui, { path: "/", headers: { Host: "rebound.test" } })).status).toBe(421);
    const page = await asked(ui, { path: "/", headers: { Authorization: "", Origin: "" } });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(ui.token);
    expect(page.text).toContain("connect-src &#39;self&#39;");
    expect(page.headers).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    });
    expect(page.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is an action on a head that has moved: 409, and nothing runs", async () => {
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    const ui = await startUi(box);
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const now = (await box.json(["thread", "show", thread])).head;
    for (const action of ["step", "run", "kill", "pause"]) {
      const body = { action, thread, head };
      expect((await asked(ui, { path: "/api/do", method: "POST", body })).status).toBe(409);
    }
    expect(await box.json(["thread", "show", thread])).toMatchObject({ head: now, done: false });
  });

  it.each([
    [{ action: "start", workflow: "--help", prompt: "x" }],
    [{ action: "start", workflow: "turns", prompt: " " }],
    [{ action: "step", thread: "--all", head: "00000000000" }],
    [{ action: "rm", thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB", head: "7YQ5C0QZ2T1VA" }],
    [{ action: "fork", thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB", head: "7YQ5C0QZ2T1VA", hash: "--dry-run" }],
    ["text"],
    [null],
  ])("is %j: 400", async (body) => {
    const ui = await startUi(box);
    expect((await asked(ui, { path: "/api/do", method: "POST", body })).status).toBe(400);
  });

  it("is what it does not know: 404 and 405", async () => {
    const ui = await startUi(box);
    expect((await asked(ui, { path: "/api/secrets" })).status).toBe(404);
    expect((await asked(ui, { path: "/../../etc/passwd" })).status).toBe(404);
    expect((await asked(ui, { path: "/api/thread/01KAJ5E8ZJ4N7XK3M9T2V6W8YB" })).status).toBe(404);
    expect((await asked(ui, { path: "/api/overview", method: "PUT" })).status).toBe(405);
  });
});

/** Steps a thread through the page's way, with the agent of config.yaml. */
async function stepThrough(ui: Ui, thread: string): Promise<void> {
  const { head } = await box.json(["thread", "show", thread]);
  const given = { path: "/api/do", method: "POST", body: { action: "step", thread, head } };
  expect((await asked(ui, given)).status).toBe(202);
}

describe("uwf ui", () => {
  it("ends once the last page has closed", async () => {
    const ui = await startUi(box, ["--linger", "0"]);
    const pages = [await openLive(ui), await openLive(ui)];
    pages[0]?.close();
    expect((await asked(ui, { path: "/api/overview" })).status).toBe(200);
    pages[1]?.close();
    expect(await ui.ended).toBe(0);
  });

  it("ends on Ctrl-C as well as it would by itself", async () => {
    const ui = await startUi(box);
    await openLive(ui).then(() => ui.process.kill("SIGINT"));
    expect(await ui.ended).toBe(0);
  });

  it("listens on the port of --port, and says when another process does", async () => {
    const first = await startUi(box);
    const second = await box.uwf(["ui", "--port", String(first.port)]);
    expect(second).toMatchObject({ code: 4, stdout: "" });
    expect(second.stderr).toBe(
      `error[INVALID_INPUT]: --port ${first.port}: another program listens there\nhint: leave out --port to listen on a free one\n`,
    );
  });

  it("opens its address with the system's opener, whose words have no token, and serves without one too", async () => {
    const bin = join(box.cwd, "bin");
    const opener = box.write(join(bin, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$@" > '${box.cwd}/opened'\n`);
    chmodSync(opener, 0o755);
    symlinkSync(process.execPath, join(bin, "node"));
    const ui = await startUi(box, ["--open"], { PATH: bin });
    await until("the page is opened", () => existsSync(join(box.cwd, "opened")));
    await until("it is written", () => readFileSync(join(box.cwd, "opened"), "utf8").endsWith("\n"));
    const words = readFileSync(join(box.cwd, "opened"), "utf8");
    expect(words).not.toContain(ui.token);
    const page = words.trimEnd();
    expect(readFileSync(page, "utf8")).toContain(`content="0;url=${ui.url}"`);
    expect([page, dirname(page)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
    expect(ui.stderr()).toBe("");

    const complaint = async ({ stderr }: Ui) => {
      await until("it says that nothing was opened", () => stderr().endsWith("\n"));
      return stderr();
    };
    const advice = "give its address to a browser yourself\n";
    box.write(opener, "#!/bin/sh\nexit 3\n");
    const failing = await startUi(box, ["--open"], { PATH: bin });
    expect(await complaint(failing)).toBe(
      `warning: the page was not opened (xdg-open exited with 3): ${advice}`,
    );
    rmSync(opener);
    const without = await startUi(box, ["--open"], { PATH: bin });
    expect(await complaint(without)).toBe(
      `warning: the page was not opened (spawn xdg-open ENOENT): ${advice}`,
    );
    for (const server of [ui, failing, without])
      expect((await asked(server, { path: "/" })).status).toBe(200);
  });

  it("leaves a thread as it should be when it is killed in the middle of a step", async () => {
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    const agent = `command: ${SCRIPT_RUNNER}, args: [${ZOO}, waits, ${gate}]`;
    box.write(`${box.root}/config.yaml`, `agents: { zoo: { ${agent} } }\ndefaultAgent: zoo\n`);
    const heads = box.read("threads.yaml");
    const ui = await startUi(box);
    await stepThrough(ui, thread);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    ui.process.kill("SIGKILL");
    await ui.ended;
    expect(await box.json(["thread", "show", thread])).toMatchObject({
      done: false,
      running: { role: "maker" },
    });
    // The step is an ordinary uwf: it comes to its end.
    writeFileSync(gate, "");
    await until("the step has ended", () => box.read("threads.yaml") !== heads);
    const last = ["thread", "step", thread, "--agent", zoo("valid"), "--wait=30"];
    expect(await box.json(last)).toMatchObject({ done: true });
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(3);
  });

  it("gives the texts of a step without reading the other steps, and shows invisible characters", async () => {
    const thread = await startTurns(box);
    const reply = JSON.stringify("---\ntext: made\n---\nA \u202etext");
    const scenario = box.write("scenario.yaml", `roles: { maker: [{ reply: ${reply} }] }`);
    const { head } = await box.json(["thread", "step", thread, "--agent", `${MOCK} --scenario ${scenario}`]);
    const ui = await startUi(box);
    const { steps } = await box.json<{ steps: { detail?: string }[] }>(["thread", "steps", thread]);
    const read = await asked(ui, { path: `/api/texts/${head}` });
    expect(JSON.parse(read.text)).toContainEqual({
      title: "Reply",
      text: expect.stringContaining("A [U+202E]text"),
    });
    expect((await asked(ui, { path: `/api/texts/${steps[1]?.detail}` })).status).toBe(500);
    expect((await asked(ui, { path: `/api/texts/${thread}` })).status).toBe(404);
  });

  it("lists as many threads as the page asks for, and says how many there are", async () => {
    await startTurns(box);
    const [line = ""] = box.read("threads.yaml").trim().split("\n");
    const others = Array.from(
      { length: 249 },
      (_, at) => `01KAJ5E8ZJ4N7XK3M9T2V6W${100 + at}${line.slice(26)}`,
    );
    box.write(join(box.root, "threads.yaml"), `${[line, ...others].sort().join("\n")}\n`);
    const ui = await startUi(box);
    const listed = async (query: string) => {
      const { threads, total } = JSON.parse((await asked(ui, { path: `/api/overview${query}` })).text);
      return { length: threads.length, total };
    };
    expect(await listed("")).toEqual({ length: 200, total: 250 });
    expect(await listed("?most=400")).toEqual({ length: 250, total: 250 });
    expect(await listed("?most=-1")).toEqual({ length: 200, total: 250 });
  });

  it("reads without writing", async () => {
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const before = box.snapshot();
    const ui = await startUi(box);
    for (const path of ["/", "/api/overview", `/api/thread/${thread}`, `/api/texts/${head}`])
      expect((await asked(ui, { path })).status).toBe(200);
    expect(box.snapshot()).toEqual(before);
  });
});
