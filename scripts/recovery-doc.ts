// Writes docs/recovery.md from the blocked reasons and their ways out.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GUIDANCE, RECOVERIES } from "../src/decide/recovery.ts";
import { doesOf, OTHER_CHOICES } from "../src/decide/recovery-choices.ts";
import { LADDER, whyUnfit } from "../src/decide/ladder.ts";
import { BLOCKED_REASONS, GUIDANCE_CODES } from "../src/model/blocked.ts";
import { PATTERNS } from "../src/model/health.ts";
import { CAUSES } from "../src/model/ladder.ts";

const reasons = BLOCKED_REASONS.map((reason) => {
  const { owner, command, advice } = RECOVERIES[reason];
  const others = (OTHER_CHOICES[reason] ?? []).map(
    ({ words, does }) => `\`holdfast ${words.join(" ")}\`: ${does ?? doesOf(words)}`,
  );
  return `| \`${reason}\` | ${owner} | ${advice} | \`holdfast ${command.join(" ")}\`: ${doesOf(command)} | ${others.join("<br>")} |`;
});

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

Generated from \`src/decide/recovery.ts\` by \`npm run docs\`. \`holdfast status RUN\` and \`holdfast inbox\` show the command with everything filled in, ready to be pasted.

The command is the safe one: it does nothing twice, passes no check by, and answers what was asked. \`choices\` in \`--json\` lists it first and then the others, each with what it does; \`holdfast cancel RUN\`, which ends the run and keeps what was done, is always among them. A step of a workflow function that is in doubt is settled with \`holdfast settle RUN KEY --done JSON\` (it was done) or \`--again\` (it was not, or may be done twice).

| reason | who | what to do | command | or |
|---|---|---|---|---|
${reasons.join("\n")}

## Deeper causes

| code | means |
|---|---|
${GUIDANCE_CODES.map((code) => `| \`${code}\` | ${GUIDANCE[code]} |`).join("\n")}

## Which remedy can help against what

Generated from the ladder (\`src/decide/ladder.ts\`). Trouble is caused by the \`provider\` where the model owes an answer, a limit stands, or the provider's own errors came again and again; otherwise by the \`agent\`. A remedy that cannot help is journaled as not applicable with its reason, and the next one comes.

| trouble | caused by | ${LADDER.map(({ remedy }) => `\`${remedy}\``).join(" | ")} |
|---|---|${LADDER.map(() => "---|").join("")}
${diagnoses.join("\n")}

Why not:

${unfit.join("\n")}
`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "docs", "recovery.md"), recoveryDocument());
