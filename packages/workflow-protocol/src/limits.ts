const KIB = 1024;
const MIB = 1024 * KIB;

/** Sizes in bytes, checked before anything is parsed; `depth` in levels of nesting. */
export const LIMITS = {
  workflowFile: MIB,
  frontmatter: 64 * KIB,
  reply: 16 * MIB,
  prompt: 4 * MIB,
  llmResponse: 8 * MIB,
  config: MIB,
  node: 32 * MIB,
  depth: 128,
  /** Only this many last bytes of an agent's stdout are looked at. */
  agentStdoutTail: 64 * KIB,
} as const;
