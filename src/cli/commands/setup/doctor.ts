import type { Command } from "commander";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { errorText } from "../../../model/fault.ts";
import type { Finding } from "../../supervise/doctor-finding.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addDoctor(parent: Command, bind: Bind): void {
  parent
    .command("doctor")
    .summary("check that Holdfast can work here")
    .description(
      "Checks Node, the state folder, the configuration, the store, the supervisor and the programs that agents need.",
    )
    .option("--fix", "mend what can be mended without deciding for you, and check again")
    .addHelpText(
      "after",
      examples(
        ["doctor", "each finding, and what to do about it"],
        ["doctor --fix", "starts a missing supervisor, makes deleted worktrees again"],
        ["doctor --json", "for programs; exit code 1 if something must be mended"],
      ),
    )
    .action(bind(doctor));
}

const MARKS: Readonly<Record<Finding["state"], string>> = { ok: "ok  ", warn: "warn", fail: "FAIL" };

async function doctor(call: Invocation, { fix = false }: { readonly fix?: boolean }): Promise<number> {
  const before = await findings(call);
  const fixed = fix ? await fixAll(before) : [];
  const checks = fixed.length === 0 ? before : await findings(call);
  const ok = checks.every(({ state }) => state !== "fail");
  const shown = checks.map(({ fix: offered, ...finding }) => ({ ...finding, fix: offered?.does ?? null }));
  call.output.document({ ok, checks: shown, ...(fix ? { fixed } : {}) });
  for (const { name, text } of fixed) call.output.line(`FIX   ${name}: ${text}`);
  for (const { name, state, text, remedy, fix: offered } of checks) {
    call.output.line(`${MARKS[state]}  ${name}: ${text}`);
    if (remedy !== null) call.output.line(`      → ${remedy}`);
    if (offered !== undefined && !fix)
      call.output.line(`      → ${call.command("doctor", "--fix")} ${offered.does}`);
  }
  if (fix && fixed.length === 0) call.output.line("nothing here is mended by --fix");
  return ok ? EXIT.done : EXIT.unsuccessful;
}

async function findings(call: Invocation): Promise<Finding[]> {
  const { CHECKS } = await import("../../supervise/doctor-checks.ts");
  const found: Finding[] = [];
  for (const check of CHECKS) {
    const finding = await check(call);
    if (finding !== null) found.push(finding);
  }
  return found;
}

/** One after the other; one that fails keeps no other from being tried. */
async function fixAll(
  found: readonly Finding[],
): Promise<{ readonly name: string; readonly text: string }[]> {
  const done: { name: string; text: string }[] = [];
  for (const { name, fix } of found) {
    if (fix === undefined) continue;
    const text = await fix.apply().catch((error: unknown) => `failed: ${errorText(error)}`);
    done.push({ name, text });
  }
  return done;
}
