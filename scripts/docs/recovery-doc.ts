// Writes docs/recovery.md from the blocked reasons and their ways out.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GUIDANCE, RECOVERIES } from "../../src/decide/recovery/recovery.ts";
import { doesOf, OTHER_CHOICES } from "../../src/decide/recovery/recovery-choices.ts";
import { LADDER, whyUnfit } from "../../src/decide/ladder/ladder.ts";
import { BLOCKED_REASONS, GUIDANCE_CODES } from "../../src/model/requests/blocked.ts";
import { PATTERNS } from "../../src/model/agent/health.ts";
import { CAUSES } from "../../src/model/agent/ladder.ts";
import { ELSEWHERE, NOT_REACHED, REAL_CAUSES } from "../../test/cli/real-causes.ts";

const reasons = BLOCKED_REASONS.map((reason) => {
  const { owner, command, advice } = RECOVERIES[reason];
  const others = (OTHER_CHOICES[reason] ?? []).map(
    ({ words, does }) => `\`holdfast ${words.join(" ")}\`: ${does ?? doesOf(words)}`,
  );
  return `| \`${reason}\` | ${owner} | ${advice} | \`holdfast ${command.join(" ")}\`: ${doesOf(command)} | ${others.join("<br>")} |`;
});

/** What the tests do: each cause, each choice, and where the run stands then. */
const causes = { ...REAL_CAUSES, ...ELSEWHERE };
const reached = BLOCKED_REASONS.flatMap((reason) => {
  const cause = causes[reason];
  if (cause === undefined) return [];
  const ways = cause.ways.map(
    ({ verb, mend, between, newRun, after }) =>
      `\`${verb}\`${mend === undefined ? "" : ", once it is mended"}${between === undefined ? "" : ", twice"}: ${newRun === undefined ? "" : "a new run, "}${after}`,
  );
  const test = ELSEWHERE[reason]?.test ?? "ways-out.e2e.ts";
  return [`| \`${reason}\` | ${cause.how} | ${ways.join("<br>")} | \`${test}\` |`];
});
const listOf = (table: Readonly<Partial<Record<string, string>>>): string =>
  Object.entries(table)
    .map(([reason, text]) => `- \`${reason}\`: ${text ?? ""}`)
    .join("\n");
const choices = Object.values(causes).reduce((sum, cause) => sum + cause.ways.length, 0);

/** Which remedies can help against each diagnosis, as the ladder's table has it. */
const diagnoses = CAUSES.flatMap((cause) =>
  PATTERNS.map((pattern) => {
    const cells = LADDER.map(({ remedy }) => (whyUnfit(remedy, { pattern, cause }) === null ? "yes" : "–"));
    return `| \`${pattern}\` | ${cause} | ${cells.join(" | ")} |`;
  }),
);
const unfit = LADDER.filter((rung) => rung.unfit !== "").map(
  (rung) => `- \`${rung.remedy}\`: ${rung.unfit}.`,
);

export const recoveryDocument = (): string =>
  `# Ways out of a blocked run

Generated from \`src/decide/recovery/recovery.ts\` by \`npm run docs\`. \`holdfast status RUN\` and \`holdfast inbox\` show the command with everything filled in, ready to be pasted.

The command is the safe one: it does nothing twice, passes no check by, and answers what was asked. \`choices\` in \`--json\` lists it first and then the others, each with what it does; \`holdfast cancel RUN\`, which ends the run and keeps what was done, is always among them. A step of a workflow function that is in doubt is settled with \`holdfast settle RUN KEY --done JSON\` (it was done) or \`--again\` (it was not, or may be done twice).

| reason | who | what to do | command | or |
|---|---|---|---|---|
${reasons.join("\n")}

## How each is reached, and where each choice leads

Generated from \`test/cli/real-causes.ts\`. Tests in \`test/cli\` bring a run into each of these ${String(reached.length)} states by its cause, with real files, git, processes and programs, paste each of the ${String(choices)} choices into a shell, and see the run as described here. \`npm test\` pastes \`cancel\` in a quarter of them each day, \`npm run test:whole\` in all.

| reason | how it was reached | choice: the run afterwards | test |
|---|---|---|---|
${reached.join("\n")}

Not reached (${String(Object.keys(NOT_REACHED).length)}):

${listOf(NOT_REACHED)}

## Deeper causes

| code | means |
|---|---|
${GUIDANCE_CODES.map((code) => `| \`${code}\` | ${GUIDANCE[code]} |`).join("\n")}

## Which remedy can help against what

Generated from the ladder (\`src/decide/ladder/ladder.ts\`). Trouble is caused by the \`provider\` where the model owes an answer, a limit stands, or the provider's own errors came again and again; otherwise by the \`agent\`. A remedy that cannot help is journaled as not applicable with its reason, and the next one comes.

| trouble | caused by | ${LADDER.map(({ remedy }) => `\`${remedy}\``).join(" | ")} |
|---|---|${LADDER.map(() => "---|").join("")}
${diagnoses.join("\n")}

Why not:

${unfit.join("\n")}
`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", "recovery.md"), recoveryDocument());
