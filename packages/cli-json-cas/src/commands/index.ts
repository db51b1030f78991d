export type { AnswerCode, CasCommand, OpenCas } from "./types.js";
