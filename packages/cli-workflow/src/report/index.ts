export { threadFacts } from "./facts.js";
