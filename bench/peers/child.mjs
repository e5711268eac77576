// One engine doing one piece of work in a process of its own: child.mjs ENGINE MEASURE SETTINGS. Prints JSON lines.
import { appendFileSync, readdirSync } from "node:fs";
import path from "node:path";

const [engineName, measure, settingsText] = process.argv.slice(2);
const settings = JSON.parse(settingsText);
const RESULT = { text: "r".repeat(185), n: 0 };
/** Every engine is measured at its pace, not while its code is being compiled. */
const WARM_STEPS = 2_000;
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const MEASURES = {
  async sequential(engine, { steps }) {
    await engine.run("warm", WARM_STEPS, () => RESULT);
    const began = performance.now();
    await engine.run("timed", steps, () => RESULT);
    tell({ ms: performance.now() - began });
  },

  async concurrent(engine, { runs, steps }) {
    await engine.run("warm", WARM_STEPS, () => RESULT);
    const began = performance.now();
    const names = Array.from({ length: runs }, (_, n) => `run-${n}`);
    await Promise.all(names.map((name) => engine.run(name, steps, () => RESULT)));
    tell({ ms: performance.now() - began });
  },

  /** Dies in the middle of step `killAt`; the next life tells when it does that one, and what it did before. */
  async killed(engine, { steps, killAt, life, doneFile }) {
    const again = [];
    await engine.run("killed", steps, (i) => {
      if (life === 1) {
        appendFileSync(doneFile, `${i}\n`);
        if (i === killAt) process.kill(process.pid, "SIGKILL");
        return RESULT;
      }
      again.push(i);
      if (i < killAt) return RESULT;
      tell({ first: i, again });
      process.kill(process.pid, "SIGKILL");
    });
  },

  /** Time and growth of the store in windows of a list that grows by a kilobyte per iteration. */
  async grow(engine, { seed = 0, iterations, windows, folder }) {
    const message = (i) => ({ role: "assistant", content: `${i} `.padEnd(1_000, "x") });
    const found = windows.map((window) => ({ window }));
    const at = async (i) => {
      for (const one of found) {
        if (one.window.to === i) Object.assign(one, { ms: performance.now() - one.began });
        if (one.window.from === i || one.window.to === i)
          one[one.window.from === i ? "before" : "after"] = await stored(folder);
        if (one.window.from === i) one.began = performance.now();
      }
    };
    await engine.grow("grown", {
      seed: Array.from({ length: seed }, (_, i) => message(i)),
      iterations,
      message,
      at,
    });
    tell({
      windows: found.map(({ window, ms, before, after }) => {
        const count = window.to - window.from;
        return { size: window.size, ms: ms / count, bytes: (after - before) / count };
      }),
    });
  },
};

/** Bytes that the store's pages hold, whether or not they have been moved out of the log written ahead. */
async function stored(folder) {
  const { DatabaseSync } = await import("node:sqlite");
  const file = readdirSync(folder).find((name) => name.endsWith(".db"));
  const db = new DatabaseSync(path.join(folder, file), { readOnly: true });
  const pragma = (name) => db.prepare(`PRAGMA ${name}`).get()[name];
  const bytes = (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  db.close();
  return bytes;
}

const engine = await (await import(`./engines/${engineName}.mjs`)).open(settings);
await MEASURES[measure](engine, settings);
await engine.close();
process.exit(0);
