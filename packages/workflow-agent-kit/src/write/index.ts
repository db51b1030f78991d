export { runWrite, type Sources } from "./command.js";
