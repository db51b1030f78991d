import type { Case } from "../types.js";
import { failing, fine } from "../verdict.js";

export const version: Case = {
  name: "version",
  needsGood: false,
  run: async ({ ask }) => {
    const { code, outcome, stdout } = await ask(["--version"]);
    const lines = stdout.split("\n").filter((line) => line.trim() !== "");
    const fix =
      "with --version alone print one line and exit with 0 within three seconds: uwf doctor asks so";
    if (code !== 0) return failing(`with --version it ${outcome}`, fix);
    return lines.length === 1
      ? fine(lines[0] ?? "")
      : failing(`--version printed ${lines.length} lines`, fix);
  },
};
