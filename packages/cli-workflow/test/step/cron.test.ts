import { chmodSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { MADE } from "../sessions/support.js";
import { startGate } from "../support/gate.js";
import { REAL_MOCK, RUNTIMES, sandbox } from "../support/uwf.js";

type Event = {
  readonly event: string;
  readonly role: string | null;
  readonly question: string | null;
  readonly command: string;
};

const UWF = join(import.meta.dirname, "../../bin/uwf");

describe("a thread that cron runs", () => {
  it.each(RUNTIMES)(
    "waits for a person, who is notified, answers, and is asked again (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const told = join(box.cwd, "told");
      const notify = box.write("notify.sh", `#!/bin/sh\ncat >>'${told}'\n`);
      chmodSync(notify, 0o755);
      const scenario = box.write("scenario.json", JSON.stringify({ roles: { maker: [{ reply: MADE }] } }));
      const config = {
        agents: { mock: { command: REAL_MOCK, args: ["--scenario", scenario] } },
        defaultAgent: "mock",
        notify: { command: notify, on: ["answer", "ended"] },
      };
      box.write(join(box.root, "config.yaml"), JSON.stringify(config));
      const thread = await startGate(box);

      // As cron does: no terminal, no environment but its own, another folder, everything into a file.
      const path = `${runtime === "bun" ? process.env.PATH : dirname(process.execPath)}:/usr/bin:/bin`;
      const line = `'${UWF}' thread run --all --jobs 2 >>'${box.cwd}/cron.log' 2>&1`;
      const words = ["env", "-i", `HOME=${box.home}`, `PATH=${path}`, `UWF_RUNTIME=${runtime}`];
      const root = `UNCAGED_WORKFLOW_STORAGE_ROOT=${box.root}`;
      const cron = async (times = 1): Promise<void> => {
        for (let count = 0; count < times; count += 1) {
          const ran = await box.uwf([], { through: [...words, root, "/bin/sh", "-c", line], cwd: "/" });
          expect(ran).toMatchObject({ code: 0, stdout: "", stderr: "" });
        }
      };
      const events = (): readonly Event[] =>
        existsSync(told)
          ? readFileSync(told, "utf8")
              .trim()
              .split("\n")
              .map((text) => JSON.parse(text))
          : [];
      const roles = async () => (await box.json(["thread", "steps", thread])).steps.map(({ role }) => role);
      const asked = {
        event: "answer",
        thread,
        role: "checker",
        question: "Check it",
        command: `uwf thread answer ${thread} --edit`,
      };

      await cron(3);
      expect(await roles()).toEqual([undefined, "maker"]);
      expect(events()).toMatchObject([asked]);
      expect(await box.json(["thread", "list", "--held"])).toMatchObject([
        { thread, held: { for: "answer" } },
      ]);

      // The person types the command of the message; the editor is theirs.
      const edit = async (approved: boolean) => {
        const script = `#!/bin/sh\nsed -i 's/^approved:.*/approved: ${approved}/' "$1"; echo 'My reasons.' >>"$1"\n`;
        const editor = box.write("editor.sh", script);
        chmodSync(editor, 0o755);
        const typed = (events().at(-1)?.command ?? "").replace(/^uwf/, `'${UWF}'`);
        // script(1) gives the command a terminal.
        const through = ["sh", "-c", 'exec script -qec "$0" /dev/null', `${typed} --by Ada; echo "exit $?"`];
        const ran = await box.uwf([], { through, env: { VISUAL: editor } });
        expect(ran.stdout).toContain("exit 0");
      };
      await edit(false);
      await cron(3);
      expect(await roles()).toEqual([undefined, "maker", "checker", "maker"]);
      expect(events()).toMatchObject([asked, asked]);

      await edit(true);
      expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "end" });
      expect(events()).toMatchObject([asked, asked, { event: "ended", thread }]);
      await cron();
      const { steps } = await box.json(["thread", "steps", thread]);
      const people = steps.slice(1).map(({ role, agent }) => [role, agent === "human"]);
      expect(people).toEqual([
        ["maker", false],
        ["checker", true],
        ["maker", false],
        ["checker", true],
      ]);
      const details = await box.json(["thread", "step-details", steps.at(-1)?.hash ?? ""]);
      expect(details).toMatchObject({ by: "Ada", via: "edit", timedOut: false });
      // Two runs of the maker, and none for all the calls in between.
      const log = await box.json<readonly { readonly outcome?: string }[]>(["log", "--thread", thread]);
      expect(log.filter(({ outcome }) => outcome !== undefined)).toHaveLength(2);
    },
  );
});
