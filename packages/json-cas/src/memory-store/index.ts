export { createMemoryStore, createMemoryStoreWith } from "./memory-store.js";
