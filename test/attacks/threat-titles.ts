import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const TESTS = path.join(import.meta.dirname, "..");
const TITLE = /"((?:[A-Z]+\d+ )+)(T\d+) ([^"\n]+)"/g;

/** Titles of all tests that name a threat behind the rows that they prove, without these. */
const named: { readonly id: string; readonly title: string }[] = readdirSync(TESTS, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .flatMap((file) => [...readFileSync(path.join(TESTS, file), "utf8").matchAll(TITLE)])
  .map(([, , id = "", title = ""]) => ({ id, title }));

/** Of the tests that name this threat. */
export const titlesOf = (threat: string): string[] =>
  named.filter(({ id }) => id === threat).map(({ title }) => title);
