export { exec } from "./exec.js";
