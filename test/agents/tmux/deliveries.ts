import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { typeable } from "../../../src/agents/tmux/screen/plain-text.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { nastyTexts } from "./nasty-texts.ts";

const RECORDER = fileURLToPath(new URL("./recorder.mjs", import.meta.url));

/** So many texts go to one terminal; terminals work side by side, because each waits most of the time. */
const TEXTS_PER_TERMINAL = 60;
const LANES_MAX = 6;
/** On a slow machine a program that waits looks as if it were done and is ended; its texts go to another terminal. */
const ENDED_MAX = 200;
/** So many strings are a message each; of more, ten are the lines of one, except those that are long. */
const ALONE_MAX = 1_500;
const BUNDLE = 10;
const LONG_CHARS = 4_000;

/** The messages by which strings are delivered: every byte of every string is in one of them, in order. */
export function messagesOf(strings: readonly string[]): string[] {
  const rest = strings.slice(ALONE_MAX);
  const short = rest.filter(({ length }) => length < LONG_CHARS);
  const bundles = Array.from({ length: Math.ceil(short.length / BUNDLE) }, (_, at) =>
    short.slice(at * BUNDLE, (at + 1) * BUNDLE).join("\n"),
  );
  return [...strings.slice(0, ALONE_MAX), ...rest.filter(({ length }) => length >= LONG_CHARS), ...bundles];
}

/** Delivers so many random texts to recording programs, and proves that each arrived exactly, and once. */
export async function deliverTexts(
  count: number,
  report: (done: number) => void = () => undefined,
): Promise<void> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-deliver-")));
  const canary = path.join(folder, "canary");
  const texts = messagesOf(nastyTexts(count, canary));
  const queue = Array.from({ length: Math.ceil(texts.length / TEXTS_PER_TERMINAL) }, (_, at) =>
    texts.slice(at * TEXTS_PER_TERMINAL, (at + 1) * TEXTS_PER_TERMINAL),
  );
  let [begun, done, ended] = [0, 0, 0];
  const lane = async (): Promise<void> => {
    for (let mine = queue.shift(); mine !== undefined; mine = queue.shift()) {
      const place = path.join(folder, String((begun += 1)));
      mkdirSync(place);
      const isWhole = await deliverThere(place, mine, () => report((done += 1)));
      if (isWhole) continue;
      queue.push(mine);
      assert.ok(
        (ended += 1) <= ENDED_MAX,
        `${String(ended)} programs were ended before they had their texts`,
      );
    }
  };
  try {
    // All of them come to their end before the folder is removed.
    const lanes = await Promise.allSettled(Array.from({ length: LANES_MAX }, lane));
    for (const one of lanes) if (one.status === "rejected") throw one.reason;
    assert.equal(existsSync(canary), false, "a text was executed");
    if (ended > 0)
      console.log(`${String(ended)} programs were ended early; their texts were delivered again`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a terminal and a server of tmux of their own; answers whether the program has lived to the end. */
async function deliverThere(
  folder: string,
  texts: readonly string[],
  delivered: () => void,
): Promise<boolean> {
  const record = path.join(folder, "record");
  const driver = tmuxDriver({ world: realWorld(), folder: path.join(folder, "sessions") });
  const spec = { use: "tmux" as const, command: [process.execPath, RECORDER, record], prompt: "^> " };
  const ref = { session: "s", spec };
  const received = (): string[] =>
    readFileSync(record, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as string)
      .filter((text) => text !== "the task");
  const expected = texts.map((text) => typeable(text).text).filter((text) => text !== "");
  try {
    const order = { ...ref, run: "r", step: "s", attempt: "a", number: 1, task: "the task", cwd: folder };
    assert.equal((await driver.start(order)).kind, "started");
    for (const [index, text] of texts.entries()) {
      const reported = typeable(text).text !== "";
      const outcome = await driver.send(ref, { key: `k${String(index)}`, text });
      if (reported && outcome.kind === "failed" && (await driver.find(ref)).kind !== "alive") {
        assert.doesNotMatch(outcome.text, /server exited/, "tmux itself has died");
        const seen = existsSync(record) ? received() : [];
        assert.deepEqual(seen, expected.slice(0, seen.length), "what arrived before the program ended");
        return false;
      }
      assert.equal(
        outcome.kind,
        reported ? "sent" : "failed",
        `${JSON.stringify(text.slice(0, 200))}: ${JSON.stringify(outcome)}`,
      );
      if (reported && typeable(text).removed > 0)
        assert.match(JSON.stringify(outcome), /control characters were left out/);
      if (index % 10 === 0) await driver.send(ref, { key: `k${String(index)}`, text });
      delivered();
    }
    assert.deepEqual(received(), expected);
    assert.deepEqual(await driver.end(ref, 1_000), { kind: "ended" });
    return true;
  } finally {
    await driver.end(ref, 200);
    await driver.close();
  }
}
