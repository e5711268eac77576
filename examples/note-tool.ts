/** The tool that the examples share: it does something that can be seen, and counted. */
import { appendFileSync } from "node:fs";

export const MODEL_URL = process.env["MODEL_URL"] ?? "http://127.0.0.1:11434/v1";
export const MODEL = process.env["MODEL"] ?? "llama3.2";
export const STORE = process.env["STORE"] ?? "sqlite:./agents.db";
const NOTES = process.env["NOTES"] ?? "./notes.txt";

export const PROMPT = "Note the numbers 0 to 4, one call at a time, then say what was noted.";

/** Writes a line, and says what it wrote. */
export function note(text: string): string {
  appendFileSync(NOTES, `${text}\n`);
  return `noted ${text}`;
}
