/** The documents between the example tags of an instruction. */
export function examplesIn(instruction: string): readonly string[] {
  return [...instruction.matchAll(/<example>\n([\s\S]*?)<\/example>/g)].map(([, text]) => text ?? "");
}
