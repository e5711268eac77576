import { createInterface, type Interface } from "node:readline/promises";
import { NO_ANSWERS, STARTER_QUESTIONS, type StarterAnswers } from "../config/starter-answers.ts";

/** So often a wrong answer is asked for again. */
const TRIES_MAX = 5;

/** Asks the person at the terminal; null where they leave with Ctrl-C or Ctrl-D, or never answer as expected. */
export async function askStarter(check: string | null): Promise<StarterAnswers | null> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  asking.on("SIGINT", () => left.abort());
  asking.on("close", () => left.abort());
  try {
    let answers = NO_ANSWERS;
    for (const question of STARTER_QUESTIONS) {
      const byDefault = question.byDefault(check);
      const prompt = `${question.text} [${byDefault}] `;
      const taken = await answered(asking, left.signal, prompt, (text) =>
        question.take(answers, text === "" ? byDefault : text),
      );
      if (taken === null) return null;
      answers = taken;
    }
    return answers;
  } catch (error) {
    if (left.signal.aborted) return null;
    throw error;
  } finally {
    asking.close();
  }
}

async function answered(
  asking: Interface,
  signal: AbortSignal,
  prompt: string,
  take: (text: string) => StarterAnswers | string,
): Promise<StarterAnswers | null> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const taken = take((await asking.question(prompt, { signal })).trim());
    if (typeof taken !== "string") return taken;
    process.stderr.write(`${taken}\n`);
  }
  return null;
}
