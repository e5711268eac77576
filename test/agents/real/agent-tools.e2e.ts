import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { ONE_SHOT_AGENTS } from "./agent-setup.ts";
import { notInstalled } from "./agent-stage.ts";
import { Show, signalsIn, story } from "./show.ts";

/** What each agent calls a tool of a server. */
const TOOL: Readonly<Record<string, string>> = {
  claude: "mcp__holdfast__report_progress",
  codex: "mcp__holdfast__report_progress",
  gemini: "mcp_holdfast_report_progress",
  opencode: "holdfast_report_progress",
};

/**
 * Named, so that no second model is asked which model is best; and for Codex one that is offered the tools of servers
 * at once, where newer ones search for them first.
 */
const MODEL: Readonly<Record<string, string>> = { gemini: "gemini-2.5-flash", codex: "gpt-5" };

/** Codex does not wait for its servers; the first turn takes long enough for them to be there. */
const FIRST = { acts: [{ run: "sleep 10" }] };

/** Every file below a folder, as text. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, "latin1")]),
  );

for (const { name, program, aim } of ONE_SHOT_AGENTS)
  test(
    `O4 A1 the real ${name} is offered Holdfast's own tools, and what it reports with them is in the journal, and no token is left in its home`,
    { skip: agentsTier || (program === undefined && notInstalled(name)) },
    async (t) => {
      const model = MODEL[name];
      const spec = { use: name, command: program, ...(model === undefined ? {} : { model }) };
      const performer = { spec, aim };
      const report = { name: TOOL[name] ?? "", arguments: { text: "half way there", percent: 50 } };
      const show = await Show.open(t, performer, {
        turns: [
          ...(name === "codex" ? [FIRST] : []),
          { say: "I will report.", acts: [{ tool: report }] },
          { say: "That is all." },
        ],
      });
      await show.begin("Report how far you are");
      await show.bench.reaches(show.run, "completed");
      const all = await show.events();
      const reported = signalsIn(all).filter(
        // Claude Code says `requesting` by itself.
        (signal) => signal.kind === "progress" && signal.pct !== undefined,
      );
      const offered = show.model.requests().flatMap((request) => request.tools ?? []);
      assert.deepEqual(
        reported,
        [{ kind: "progress", text: "half way there", pct: 50 }],
        `${story(all)}\n${[...new Set(offered)].join(" ")}`,
      );
      const left = Object.entries(filesIn(show.stage.home)).filter(([, text]) =>
        text.includes("HOLDFAST_MCP_TOKEN"),
      );
      assert.deepEqual(
        left.map(([file]) => file),
        [],
        "no token is written into its home",
      );
    },
  );
