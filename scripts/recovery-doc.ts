// Writes docs/recovery.md from the blocked reasons and their ways out.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GUIDANCE, RECOVERIES } from "../src/decide/recovery.ts";
import { BLOCKED_REASONS, GUIDANCE_CODES } from "../src/model/blocked.ts";

const reasons = BLOCKED_REASONS.map((reason) => {
  const { owner, command, advice } = RECOVERIES[reason];
  return `| \`${reason}\` | ${owner} | ${advice} | \`holdfast ${command.join(" ")}\` |`;
});

export const recoveryDocument = (): string =>
  `# Ways out of a blocked run

Generated from \`src/decide/recovery.ts\` by \`npm run docs\`. \`holdfast status RUN\` and \`holdfast inbox\` show the command with everything filled in, ready to be pasted.

| reason | who | what to do | command |
|---|---|---|---|
${reasons.join("\n")}

## Deeper causes

| code | means |
|---|---|
${GUIDANCE_CODES.map((code) => `| \`${code}\` | ${GUIDANCE[code]} |`).join("\n")}
`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "docs", "recovery.md"), recoveryDocument());
