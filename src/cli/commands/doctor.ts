import type { Command } from "commander";
import { showExamples, type Bind } from "../define-command.ts";
import type { Finding } from "../doctor-finding.ts";
import { EXIT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";

export function addDoctor(parent: Command, bind: Bind): void {
  const command = parent
    .command("doctor")
    .summary("check that Holdfast can work here")
    .description(
      "Checks Node, the state folder, the configuration, the store, the supervisor and the programs that agents need.",
    )
    .action(bind(doctor));
  showExamples(
    command,
    ["doctor", "each finding, and what to do about it"],
    ["doctor --json", "for programs; exit code 1 if something must be mended"],
  );
}

const MARKS: Readonly<Record<Finding["state"], string>> = { ok: "ok  ", warn: "warn", fail: "FAIL" };

async function doctor(call: Invocation): Promise<number> {
  const { CHECKS } = await import("../doctor-checks.ts");
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(await check(call));
  const ok = findings.every(({ state }) => state !== "fail");
  call.output.document({ ok, checks: findings });
  for (const { name, state, text, remedy } of findings) {
    call.output.line(`${MARKS[state]}  ${name}: ${text}`);
    if (remedy !== null) call.output.line(`      → ${remedy}`);
  }
  return ok ? EXIT.done : EXIT.unsuccessful;
}
