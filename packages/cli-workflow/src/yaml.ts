import { Document, type Scalar, visit } from "yaml";

const UNESCAPED = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A JSON or double-quoted YAML text with DEL, the C1 controls and the characters that turn the direction of writing
 * escaped. `JSON.stringify` and yaml escape those below U+0020 and leave these; for many a terminal U+009B begins a
 * command as ESC [ does, and U+202E makes a text read as what it is not.
 */
export function escapeControls(text: string): string {
  return text.replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a text has characters that `escapeControls` would have to escape. */
function hasControls(text: string): boolean {
  return text.search(UNESCAPED) !== -1;
}

/** `value` as YAML with a final newline; long texts stay on their lines. Control characters are escaped. */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  // Only between double quotes can a character be escaped.
  visit(document, {
    Scalar: (_key, scalar: Scalar) => {
      if (typeof scalar.value === "string" && hasControls(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return escapeControls(document.toString({ lineWidth: 0 }));
}
