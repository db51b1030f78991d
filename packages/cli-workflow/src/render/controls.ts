const UNESCAPED = /[\u007f-\u009f]/g;

/**
 * A JSON or double-quoted YAML text with DEL and the C1 controls escaped. `JSON.stringify` and yaml escape those below
 * U+0020 and leave these, and for many a terminal U+009B begins a command as ESC [ does.
 */
export function escapeControls(text: string): string {
  return text.replace(UNESCAPED, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Whether a text has characters that `escapeControls` would have to escape. */
export function hasControls(text: string): boolean {
  return text.search(UNESCAPED) !== -1;
}
