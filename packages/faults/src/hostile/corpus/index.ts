export { corpus, type Recipe, schemaCorpus } from "./corpus.js";
