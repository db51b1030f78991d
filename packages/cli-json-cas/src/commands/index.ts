export type { Answer, AnswerCode, CasCommand, OpenCas, Tools } from "./types.js";
