import type { ThreadFacts } from "../../src/index.js";
import { facts, failure, hash, MINUTE, step, T0 } from "./facts.js";

/** Texts that want to be more than texts. Whatever of them runs, calls `alert`. */
export const HOSTILE: readonly string[] = [
  '</title></style></script><script>alert("1")</script>',
  "<!--<img src=x onerror=alert(1)>-->",
  `"'onmouseover=alert(1) x="`,
  "\u202egnp.exe\u2066 \u200b\u0000\u001b[31m\ufeff\ud800",
  "javascript:alert(1)",
  "&lt;b&gt; &amp;",
];

/** Every text that somebody else has written says the same. */
export function everywhere(text: string): ThreadFacts {
  const answer = { by: text, at: T0 + MINUTE, via: text, question: text, askedAt: T0, timedOut: false };
  const transition = { condition: text, expression: text, value: text, taken: true };
  const decision = [
    { ...transition, role: "reviewer", error: null },
    { ...transition, role: text, error: text },
  ];
  const output = { [text]: text, list: [text, { [text]: text }] };
  const texts = [{ title: text, text }];
  const read = (): Uint8Array => Buffer.from(text);
  const file = { path: text, hash: hash("FILE"), name: text, mediaType: text, size: 9, read };
  const line = { heading: text, label: text, parts: [{ kind: "new", text }], isFormatOnly: true } as const;
  const documents = { files: [file], difference: { summary: text, lines: [line], more: 0 } };
  const said = { output, reply: text, model: text, agent: text, decision, cwd: text, texts, ...documents };
  const failed = { stderr: text, message: text, code: text, agent: text };
  const base = facts([
    step("writer", 1, said),
    step("reviewer", 2, { ...said, answer }),
    step("writer", 3, { ...said, output: { ...output, more: text } }),
  ]);
  const { source } = base.workflow;
  return {
    ...base,
    workflow: {
      ...base.workflow,
      source: {
        ...source,
        name: text,
        description: text,
        conditions: {},
        graph: { ...source.graph, [text]: [] },
      },
    },
    start: { ...base.start, task: text },
    failures: [failure(text, 1.5, { ...failed, head: "writer-1" }), failure("writer", 9, failed)],
    held: {
      ...{ for: "answer", role: text, question: text, threads: [], since: T0, until: null },
      ...{ limit: null, waitingSince: T0 },
    },
    decision,
  };
}
