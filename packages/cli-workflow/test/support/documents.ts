import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

// What the documents of this repository tell to type, and what they show of the result.

const repository = resolve(import.meta.dirname, "../../../..");

export type Block = {
  readonly language: string;
  readonly text: string;
  /** The last line above it that is not empty. */
  readonly before: string;
};

/** A document by its path from the root of the repository. */
export function documentText(file: string): string {
  return readFileSync(join(repository, file), "utf8");
}

export function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = "", 2: block = "", index }) => ({
      language,
      text: block,
      before: text.slice(0, index).trimEnd().split("\n").at(-1) ?? "",
    }),
  );
}

export type Typed = { readonly command: string; readonly shown: string };

/** The commands of a `console` block, each with what it prints; a command goes on after a backslash. */
export function typedIn(block: string): readonly Typed[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [, command = "", shown = ""] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(text) ?? [];
      return { command, shown };
    });
}

/** The folders of the commands that people have on PATH, the runtime and the system's. */
export function pathWith(...folders: readonly string[]): string {
  const bins = ["cli-workflow", "workflow-agent-mock", "workflow-agent-kit", "cli-json-cas"].map((name) =>
    join(repository, "packages", name, "bin"),
  );
  return [...folders, ...bins, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
}

const ID = /\b01[0-9A-HJKMNP-TV-Z]{24}\b/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d+(?:\.\d+)? (?:ms|s|min|h|d)\b( ago)?|\bnow\b/g;

/**
 * Texts that mean the same are equal afterwards: ids, hashes and times have names, and a run of spaces is one.
 * `known` contains the ids whose ends may stand in the text by themselves.
 */
export function comparable(text: string, known = text): string {
  const ends = [...known.matchAll(ID)].map(([id]) => id.slice(-4));
  const short = ends.length === 0 ? /(?!)/g : new RegExp(`\\b(?:${ends.join("|")})\\b`, "g");
  return text
    .replace(ID, "<thread>")
    .replace(short, "<id>")
    .replace(/\b[0-9A-F][0-9A-HJKMNP-TV-Z]{12}\b/g, "<hash>")
    .replace(TIME, "<time>")
    .split("\n")
    .map((line) => line.replace(/ +/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}
