export { createCliAgent, type Port } from "./agent.js";
