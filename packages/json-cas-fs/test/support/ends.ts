// What the tests' helpers have opened is closed after each test or each file. They cannot say so with vitest's own hooks:
// a worker keeps its modules for all of its files, and a hook at the top of a module would hold for the first of them only.

type End = () => void | Promise<void>;

const afterTests: End[] = [];
const afterFiles: End[] = [];

/** Runs after each test, of any file. */
export function afterEachTest(end: End): void {
  afterTests.push(end);
}

/** Runs after the last test of each file. */
export function afterEachFile(end: End): void {
  afterFiles.push(end);
}

export async function endTest(): Promise<void> {
  for (const end of afterTests) await end();
}

export async function endFile(): Promise<void> {
  for (const end of afterFiles) await end();
}
