import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { svgOf } from "./svg.js";
import type { Screenful } from "./types.js";
import { makeWorld, type World } from "./world.js";

/** Terminals are made by script(1) of util-linux. */
export const CAN_TAKE_PICTURES: boolean = process.platform === "linux" && existsSync("/usr/bin/script");

const TYPO = `name: review-note
description: Writes a note and has it reviewed.
roles:
  writer: { description: W, goal: G, capabilities: [], procedure: P, output: O, meta: { type: object } }
  reviewer:
    description: Accepts or rejects the note
    goal: Only a clear note gets through
    capabilities: []
    procedure: Read the note.
    output: The verdict in \`approved\`.
    meta: { type: object, required: [approved], properties: { approved: { type: boolean } } }
conditions:
  rejected:
    description: The reviewer sent it back
    expression: steps[-1].output.aproved = false
graph:
  $START:
    - { role: writer, condition: null }
  writer:
    - { role: reviwer, condition: null }
  reviewer:
    - { role: writer, condition: rejected }
    - { role: $END, condition: null }
`;

/** The pictures of the documents by file name, of the binaries as they are now. Ids and times are always the same. */
export async function takePictures(repository: string): Promise<Readonly<Record<string, string>>> {
  const world = makeWorld(repository);
  try {
    const { working, ended, others } = prepare(world);
    // An add-on may be left out of the tree.
    const offer = join(repository, "packages/workflow-agent-docx-diff/test/support/offer.ts");
    const documents = existsSync(offer)
      ? ((await import(pathToFileURL(offer).href)) as Offer).makeOffer()
      : {};
    for (const [file, content] of Object.entries(documents)) writeFileSync(world.path(file), content);
    const all = [
      [
        "list",
        "The threads, and one of them",
        ["uwf thread list --all", `uwf thread show ${working.slice(-4)}`],
      ],
      ["validate", "Mistakes in a workflow", ["uwf workflow validate review-note.yaml"]],
      [
        "graph",
        "The path of a thread through its workflow",
        [`uwf workflow graph --thread ${ended.slice(-4)}`],
      ],
      ["run", "A run of a workflow", ['uwf run door-sign -p "Tell everybody when the office is closed"']],
      ["docx-diff", "What differs between two Word documents", ["docx-diff old.docx new.docx"]],
    ] as const;
    const shown = all.filter(([name]) => name !== "docx-diff" || existsSync(offer));
    const taken = shown.map(([name, title, commands]) => ({ name, title, shown: commands.map(world.show) }));
    const steady = steadier([working, ended, ...others]);
    return Object.fromEntries(
      taken.map(({ name, title, shown: all }) => [`${name}.svg`, svgOf(title, all.map(steady))]),
    );
  } finally {
    world.close();
  }
}

/** The files of a picture, by name. */
type Offer = { readonly makeOffer: () => Readonly<Record<string, Uint8Array>> };

type Threads = { readonly working: string; readonly ended: string; readonly others: readonly string[] };

function prepare({ run, write }: World): Threads {
  write("../bin/uwf-claude", '#!/bin/sh\nexec uwf-mock "$@"\n');
  write("review-note.yaml", TYPO);
  run(600, "uwf setup --agent uwf-claude; uwf init door-sign; uwf workflow put examples/*.yaml");
  const start = (minutesAgo: number, workflow: string, task: string): string => {
    const text = run(minutesAgo, `uwf thread start ${workflow} -p "${task}"`);
    return (JSON.parse(text) as { readonly thread: string }).thread;
  };
  const play = (minutesAgo: number, workflow: string, command: string): string =>
    run(minutesAgo, `UWF_MOCK_SCENARIO=examples/${workflow}.scenario.yaml ${command}`);
  const ended = start(320, "solve-issue", "parsePort accepts 80x");
  play(300, "solve-issue", `uwf thread run ${ended}`);
  const working = start(125, "solve-issue", "Fix the login redirect");
  play(120, "solve-issue", `uwf thread step ${working}`);
  play(64, "solve-issue", `uwf thread step ${working}`);
  const asked = start(48, "publish-note", "We close at noon");
  play(45, "publish-note", `uwf thread step ${asked}; uwf thread step ${asked}`);
  const failing = start(6, "solve-issue", "The tests fail");
  run(5, `uwf thread step ${failing} --agent false`);
  return { working, ended, others: [asked, failing] };
}

const IDS = [
  "01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  "01KAJ4Z2M7C9R3T5XKN1BPD4GF",
  "01KAJ5F9C2W6R4T8XKN1BPZQ5N",
  "01KAJ5G7T4M2R8E6SXKN1BPHVB",
  "01KAJ5H3P6Q8V2D7SXKN1BPK7T",
];
const HASHES = ["968RK709D8JWK", "DCP8ATPZB466N", "3CZBG03ZSS8T3"];
const TIMES = ["8 s", "21 s", "14 s", "19 s", "12 s", "74 s"];

/** Ids, hashes and durations become those above, in the order in which they come; `first` are the first ids. */
function steadier(first: readonly string[]): (shown: Screenful) => Screenful {
  const ids = new Map(first.map((id, index) => [id, IDS[index] ?? ""]));
  const hashes = new Map<string, string>();
  let times = 0;
  const steady = (text: string): string => {
    for (const [id] of text.matchAll(/(?<![0-9A-Z])01[0-9A-Z]{24}\b/g))
      if (!ids.has(id)) ids.set(id, IDS[ids.size] ?? "");
    const named = [...ids].reduce(
      (named, [id, shown]) => named.replaceAll(id, shown).replaceAll(id.slice(-4), shown.slice(-4)),
      text,
    );
    return named
      .replace(/(?<![0-9A-Z])[0-9A-F][0-9A-HJKMNP-TV-Z]{12}\b/g, (hash) => {
        if (!hashes.has(hash)) hashes.set(hash, HASHES[hashes.size] ?? "");
        return hashes.get(hash) ?? "";
      })
      .replace(/(?<![\d.])\d+(?:\.\d+)? m?s\b(?! ago)/g, () => TIMES[times++ % TIMES.length] ?? "");
  };
  return ({ command, output }) => ({ command: steady(command), output: steady(redrawn(output)) });
}

/** A line that was redrawn, as it was left. */
function redrawn(output: string): string {
  const lines = output.replaceAll("\r\n", "\n").split("\n");
  return lines.map((line) => line.split("\r").at(-1) ?? "").join("\n");
}
