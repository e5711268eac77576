import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { LOOK_ALIKES, seededSecrets } from "../../model/secret-samples.ts";
import { agentsTier } from "../agents-tier.ts";
import { PERFORMERS } from "./performers.ts";
import { CONTENT } from "./scripts.ts";
import { Show, story } from "./show.ts";

const SECRETS = seededSecrets(5150);
/** Some are told by what stands around them, which agents that stream their words, or draw them, cut off in places. */
const BY_THEMSELVES = SECRETS.filter(({ around }) => around === undefined);
const SAID = SECRETS.map(({ value, around = (one: string) => one }) => around(value)).join("\n");

/** The model speaks secrets, lets the agent print them by a tool, and speaks them again at the end. */
const SCRIPT: ModelScriptInput = {
  turns: [
    { say: `I found these:\n${SAID}`, acts: [{ write: { file: "hello.txt", content: CONTENT } }] },
    { say: "Now I will look at the files.", acts: [{ run: "cat seeds.txt; cat looks.txt" }] },
    { say: `One of them is ${SECRETS[0]?.value ?? ""}. Done. hello.txt is in place.` },
  ],
};

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(file);
    return lstatSync(file).isFile() ? [file] : [];
  });

/** Trees and checkpoints are byte for byte what was there. */
const isExempt = (file: string): boolean => /-(trees|sandbox)\//.test(file);

for (const { name, performer, missing } of PERFORMERS)
  test(
    `P5 of 60 secrets that the real ${name} says and prints none is in the state folder or in any output`,
    { skip: agentsTier || missing },
    async (t) => {
      const show = await Show.open(t, performer, SCRIPT);
      writeFileSync(path.join(show.stage.repo, "seeds.txt"), `${SAID}\n`);
      writeFileSync(path.join(show.stage.repo, "looks.txt"), `${LOOK_ALIKES.join("\n")}\n`);
      await show.begin("Write hello.txt", "--check", "grep -q scripted hello.txt");
      await show.bench.reaches(show.run, "completed");
      const outputs = [];
      for (const words of [
        ["events", "show", "--json"],
        ["export", "show"],
        ["report", "show"],
        ["logs", "show"],
      ])
        outputs.push((await show.bench.call(words)).stdout);
      const shown = outputs.join("\n");
      assert.match(shown, /\[redacted: /, story(await show.events()));
      const places = [
        ["shown", shown] as const,
        ...filesUnder(show.bench.home)
          .filter((file) => !isExempt(file))
          .map((file) => [path.relative(show.bench.home, file), readFileSync(file, "utf8")] as const),
      ];
      assert.ok(BY_THEMSELVES.length >= 60, String(BY_THEMSELVES.length));
      const found = places.flatMap(([where, text]) =>
        BY_THEMSELVES.filter(({ value }) => text.includes(value)).map((secret) => `${where}: ${secret.name}`),
      );
      assert.deepEqual(found, []);
    },
  );
