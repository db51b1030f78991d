const KIB = 1024;
const MIB = 1024 * KIB;

/** Sizes in bytes, checked before anything is parsed; `depth` in levels of nesting, `threadDepth` in threads. */
export const LIMITS = {
  workflowFile: MIB,
  frontmatter: 64 * KIB,
  reply: 16 * MIB,
  prompt: 4 * MIB,
  llmResponse: 8 * MIB,
  config: MIB,
  node: 32 * MIB,
  file: 32 * MIB,
  /** A larger file is stored in parts: in base64 this is still within the limit of a node. */
  fileInOneNode: 16 * MIB,
  fileChunk: 4 * MIB,
  filesOfStep: 64 * MIB,
  depth: 128,
  /** How deep threads may start others where config.yaml sets no `maxDepth`. */
  threadDepth: 3,
  /**
   * The same for an import. A page of a report has all threads below its own: their sum grows with the square
   * of depth.
   */
  importedDepth: 16,
  /** Only this many last bytes of an agent's stdout are looked at. */
  agentStdoutTail: 64 * KIB,
} as const;
