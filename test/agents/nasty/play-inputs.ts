import assert from "node:assert/strict";
import { HEADLESS_AGENTS } from "../headless/headless-agents.ts";
import { asWord, nastyInputs, playSession, playTalk, withCanary } from "./nasty-sessions.ts";

/** So many nasty strings as task, folder, session, model and environment of every headless agent. */
export const playSessions = (
  count: number,
  report: (done: string) => void = () => undefined,
): Promise<void> =>
  withCanary(async (folder, canary) => {
    for (const agent of HEADLESS_AGENTS) {
      for (const [index, text] of nastyInputs(count, canary).entries()) {
        const prompt = asWord(text);
        if (Buffer.byteLength(prompt) > 100_000) continue;
        const got = await playSession(agent, folder, text, index);
        assert.equal(got.folder, got.cwd);
        assert.equal(got.value, prompt.slice(0, 50_000).toWellFormed());
        assert.equal(got.input, prompt);
        assertNoOption(got.words, prompt);
      }
      report(`${agent.title}: ${String(count)} sessions`);
    }
  });

/** Of what is not our own option, a text that begins like one is in no argument: it is neither a model nor a conversation. */
export function assertNoOption(
  words: readonly string[],
  prompt: string,
  ours: readonly string[] = ["-", "--"],
): void {
  if (!prompt.startsWith("-") || ours.includes(prompt)) return;
  const found = words.filter((word) => word === prompt || word.endsWith(`=${prompt}`));
  assert.deepEqual(found, [], `the prompt ${JSON.stringify(prompt)} is in an argument`);
}

/** So many nasty strings to the stdin of an agent that is spoken to. */
export const playTalks = (count: number): Promise<void> =>
  withCanary(async (folder, canary) => {
    const texts = nastyInputs(count, canary);
    assert.deepEqual(await playTalk(folder, texts), texts);
  });
