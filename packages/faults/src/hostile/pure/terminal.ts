import { sanitizeTerminal } from "@uncaged/workflow-util";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";
import { rawControl } from "../manners/index.js";
import { nastyText } from "../texts/index.js";
import { batchOf } from "./batch.js";
import type { Subject } from "./types.js";

const part = fc.oneof(
  nastyText,
  fc.constantFrom(...corpus("terminal")),
  fc.string({
    unit: fc.constantFrom(..."\u001b\u009b\u009d\u0090\u009c\u0007[]PX^_\\0;m?\n\tab"),
    maxLength: 60,
  }),
  fc
    .tuple(fc.constantFrom(...corpus("terminal")), fc.nat({ max: 20_000 }))
    .map(([sequence, times]) => sequence.repeat(times)),
);

/** Texts of others on their way to a person: nothing is left that a terminal obeys, wherever they are cut. */
export const terminalTexts: Subject = {
  name: "terminal texts",
  sample: 200,
  batch: 3_000,
  weight: 1,
  open: async ({ slowMs }) => batchOf(fc.tuple(part, part), slowMs, shown),
};

function shown([left, right]: readonly [string, string]): void {
  const whole = sanitizeTerminal(left + right);
  const chunks = sanitizeTerminal(left) + sanitizeTerminal(right);
  for (const text of [whole, chunks]) {
    const found = rawControl(text);
    if (found !== null) throw new Error(`a terminal gets ${found}`);
  }
  if (sanitizeTerminal(whole) !== whole) throw new Error("a second pass finds more");
  const plain = left.replace(/[^\n\t -~\u00a0-\ud7ff]/g, "");
  if (sanitizeTerminal(plain) !== plain) throw new Error("a plain text is changed");
}
