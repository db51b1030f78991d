import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { HAS_TERMINALS, showOn } from "../support/shown.js";
import { sandbox } from "../support/uwf.js";
import { realZoo, startTurns } from "../support/workflows.js";

/** ESC, the other C0 controls but newline and tab, DEL and the C1 controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

describe("terminal codes of an agent", () => {
  it.each([
    ["step", []],
    ["run", ["--retries", "1"]],
  ])(
    "never come out of thread %s: not as it works, not in errors, not in the lines about it",
    async (name, more) => {
      const box = sandbox();
      const thread = await startTurns(box);
      const command = ["thread", name, thread, ...more, "--agent", realZoo("printsEscapes")];
      const ran = await box.uwf(command, { env: { UWF_BACKOFF_SECONDS: "0" } });
      expect(ran.code).toBe(6);
      expect(ran.stderr).toContain("red and bold\n");
      expect(ran.stderr).toContain('its last line is "garbage"');
      expect(ran.stderr).not.toMatch(CONTROLS);
      const json = await box.uwf([...command, "--error-format", "json"], {
        env: { UWF_BACKOFF_SECONDS: "0" },
      });
      expect(json.stderr).not.toMatch(CONTROLS);
      expect(logLines(box).at(-1)?.stderr).toContain("\u001b");
    },
  );

  it.skipIf(!HAS_TERMINALS)(
    "never reach a terminal beside the live line, whose codes are uwf's own",
    async () => {
      const box = sandbox();
      const thread = await startTurns(box);
      const ran = await showOn(box, `uwf thread run ${thread} --agent "${realZoo("printsEscapes")}"`);
      expect(ran.raw).toContain("    red and bold");
      // A terminal ends lines with CR LF; CR and "clear to the end of the line" are the live line's.
      expect(ran.raw.replaceAll("\r", "").replaceAll("\u001b[K", "")).not.toMatch(CONTROLS);
    },
  );
});
