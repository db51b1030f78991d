/** What a document may be at most. Each limit is checked before the memory that it is about is used. */
export const LIMITS = {
  /** Bytes of the file: what the store of uwf takes. */
  file: 32 * 1024 * 1024,
  /** Files in the zip. A long report with many pictures has some hundred. */
  parts: 4000,
  /** Bytes of one part of XML, inflated. A thousand pages are about 10 MB. */
  xml: 24 * 1024 * 1024,
  /** Bytes of all parts, inflated. */
  inflated: 128 * 1024 * 1024,
  /** How often smaller than its content a part may be from `ratioFrom` bytes on. Word's own parts stay below 100. */
  ratio: 400,
  ratioFrom: 2 * 1024 * 1024,
  /** Elements inside of each other. Word itself nests a few dozen deep. */
  depth: 256,
  /** Elements of one part; a thousand pages have about 300,000. */
  elements: 500_000,
  /** Attributes of one element. Word writes a dozen, and its namespaces are some thirty. */
  attributes: 256,
  /** Edits of one call, and characters of their texts. */
  edits: 2000,
  editText: 500_000,
} as const;

/** Bytes of a file that may be a document: nobody needs to read more. */
export const DOCX_MAX_BYTES = LIMITS.file;
