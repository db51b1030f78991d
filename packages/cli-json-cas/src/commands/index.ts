export type { Answer, AnswerCode, OpenCas, Tools } from "./types.js";
