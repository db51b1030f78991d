import type { Line, Run } from "./types.js";

type Style = Omit<Run, "text">;

const PLAIN: Style = { colour: null, bold: false, dim: false, struck: false };

/** What stands on the terminal in the end: of a line that was redrawn, its last state. */
export function parseAnsi(raw: string): readonly Line[] {
  let style = PLAIN;
  const lines = raw.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  return lines.map((line) => {
    const runs: Run[] = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what this reads
    for (const piece of (line.split("\r").at(-1) ?? "").split(/(\u001b\[[0-9;]*[A-Za-z])/)) {
      if (piece.startsWith("\u001b["))
        style = piece.endsWith("m") ? styled(style, piece.slice(2, -1)) : style;
      else if (piece !== "") runs.push({ ...style, text: piece });
    }
    return runs;
  });
}

function styled(before: Style, codes: string): Style {
  return Object.assign({ ...before }, ...codes.split(";").map((code) => CODES[code] ?? {}));
}

const CODES: Readonly<Record<string, Partial<Style>>> = {
  "": PLAIN,
  "0": PLAIN,
  "1": { bold: true },
  "2": { dim: true },
  "9": { struck: true },
  "22": { bold: false, dim: false },
  "29": { struck: false },
  "31": { colour: "red" },
  "32": { colour: "green" },
  "33": { colour: "yellow" },
  "36": { colour: "cyan" },
  "39": { colour: null },
};
