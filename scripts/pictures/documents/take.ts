import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeOffer } from "./offer.js";
import { upperPart } from "./png.js";

/** Of A4: readable, and three beside each other fit a page. */
const DPI = 90;

/** Rows of pixels that are kept: there is nothing below. */
const HEIGHT = 620;

/** Each; LibreOffice takes its time when it starts for the first time. */
const TIMEOUT_MS = 240_000;

/**
 * The first pages of a template, of what it was filled with, and of that with tracked changes; or why there are none.
 * Drawn by LibreOffice through `uwf-agent-docx render`, the changes made by `docx-diff`.
 */
export async function takeDocuments(
  repository: string,
): Promise<Readonly<Record<string, Uint8Array>> | string> {
  const cwd = mkdtempSync(join(tmpdir(), "uwf-documents-"));
  try {
    const { template, filled, edited } = await makeOffer();
    const documents = { template, filled, edited };
    for (const [name, bytes] of Object.entries(documents)) writeFileSync(join(cwd, `${name}.docx`), bytes);
    const compared = run("docx-diff", "docx-diff", ["filled.docx", "edited.docx", "-o", "diff.docx"]);
    if (compared.status !== 1) return compared.stderr;
    const pictures: Record<string, Uint8Array> = {};
    for (const name of ["template", "filled", "diff"]) {
      const words = ["render", `${name}.docx`, "-o", name, "--pages", "1", "--dpi", String(DPI)];
      const drawn = run("office", "uwf-agent-docx", words);
      if (drawn.status !== 0) return drawn.stderr;
      pictures[`docx-${name}.png`] = upperPart(readFileSync(join(cwd, name, "page-1.png")), HEIGHT);
    }
    return pictures;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }

  function run(folder: string, program: string, words: readonly string[]) {
    const file = join(repository, `packages/workflow-agent-${folder}/bin`, program);
    const path = [dirname(process.execPath), process.env.PATH ?? ""].join(":");
    const env = { PATH: path, HOME: cwd, UWF_RUNTIME: "node" };
    return spawnSync(file, words, { cwd, env, encoding: "utf8", timeout: TIMEOUT_MS });
  }
}
