import { startHashing } from "./hash.js";

// What an import of the package leads to once it is installed. The bundler and the tests take index.ts: a bundle for
// Node.js is CommonJS, which cannot wait.
export * from "./index.js";

await startHashing();
