/** One word for a shell, as it is where that does. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
