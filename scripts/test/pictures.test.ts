import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAnsi } from "../pictures/ansi.js";
import { CAN_TAKE_PICTURES, takePictures } from "../pictures/pictures.js";
import { svgOf } from "../pictures/svg.js";
import { repository } from "./support/run.js";

const FOLDER = join(repository, "docs/pictures");

describe.skipIf(!CAN_TAKE_PICTURES)("docs/pictures", () => {
  it("shows what the commands print today; `bun run docs` takes the pictures again", async () => {
    // Those of pages are taken in a browser.
    const files = readdirSync(FOLDER)
      .filter((file) => file.endsWith(".svg"))
      .sort();
    const found = Object.fromEntries(files.map((file) => [file, readFileSync(join(FOLDER, file), "utf8")]));
    const taken = await takePictures(repository);
    expect(files).toEqual(Object.keys(taken).sort());
    for (const file of files) expect(found[file], file).toBe(taken[file]);
  }, 120_000);
});

describe("a picture", () => {
  it("has the colours of the terminal, and a redrawn line as it was left", () => {
    const raw =
      "\u001b[36m⠙\u001b[39m working\r\u001b[K\u001b[1mdone\u001b[22m \u001b[2;31mall\u001b[0m\r\nnext\r\n";
    expect(parseAnsi(raw)).toEqual([
      [
        { text: "done", colour: null, bold: true, dim: false, struck: false },
        { text: " ", colour: null, bold: false, dim: false, struck: false },
        { text: "all", colour: "red", bold: false, dim: true, struck: false },
      ],
      [{ text: "next", colour: null, bold: false, dim: false, struck: false }],
    ]);
  });

  it("strikes out what the terminal strikes out", () => {
    const [line = []] = parseAnsi("\u001b[31m\u001b[9mold\u001b[29m\u001b[39mnew");
    expect(line.map(({ text, struck }) => [text, struck])).toEqual([
      ["old", true],
      ["new", false],
    ]);
  });

  it("puts each text into its column, escapes it, and follows the reader's light or dark", () => {
    const svg = svgOf("A <title>", [{ command: "uwf x", output: "a < b\r\n\u001b[32m  ok\u001b[39m\r\n" }]);
    expect(svg).toContain("<title>A &lt;title&gt;</title>");
    expect(svg).toContain(
      '<text x="16.0" y="47" textLength="42.0" lengthAdjust="spacingAndGlyphs">a &lt; b</text>',
    );
    expect(svg).toContain('<text class="green" x="32.8" y="65"');
    expect(svg).toContain("@media (prefers-color-scheme: dark)");
  });
});
