import type { Proof } from "./proof.ts";
import { AGENT_PROOFS, ASKED_PROOFS } from "./prove/prove-agents.ts";
import { CHANNEL_PROOFS } from "./prove/prove-channels.ts";
import { CLI_PROOFS } from "./prove/prove-cli.ts";
import { COMMAND_PROOFS } from "./prove/prove-commands.ts";
import { COMMIT_PROOFS } from "./prove/prove-commits.ts";
import { ENVIRONMENT_PROOFS } from "./prove/prove-environment.ts";
import { FILE_PROOFS } from "./prove/prove-files.ts";
import { GROUND_PROOFS } from "./prove/prove-shared-resources.ts";
import { HEALTH_PROOFS } from "./prove/prove-health.ts";
import { HOST_PROOFS } from "./prove/prove-host.ts";
import { LADDER_PROOFS, TRIAGE_PROOFS } from "./prove/prove-ladder.ts";
import { LIMIT_PROOFS } from "./prove/prove-limits.ts";
import { ALARM_PROOFS, SUSPENSION_PROOFS, APPROVAL_PROOFS, NOTICE_PROOFS } from "./prove/prove-people.ts";
import { PRICE_PROOFS } from "./prove/prove-prices.ts";
import { QUALITY_PROOFS } from "./prove/prove-quality.ts";
import { BUDGET_PROOFS, HOOK_PROOFS, POLICY_PROOFS } from "./prove/prove-rules.ts";
import { SANDBOX_PROOFS } from "./prove/prove-sandbox.ts";
import { STALE_PROOFS } from "./prove/prove-stale.ts";
import { WORKSPACE_PROOFS } from "./prove/prove-workspace.ts";

/** One for each key of the configuration; the walk over the schema fails where one is missing. */
export const PROOFS: readonly Proof[] = [
  ...AGENT_PROOFS,
  ...ALARM_PROOFS,
  ...SUSPENSION_PROOFS,
  ...APPROVAL_PROOFS,
  ...ASKED_PROOFS,
  ...BUDGET_PROOFS,
  ...CHANNEL_PROOFS,
  ...CLI_PROOFS,
  ...COMMAND_PROOFS,
  ...COMMIT_PROOFS,
  ...ENVIRONMENT_PROOFS,
  ...FILE_PROOFS,
  ...GROUND_PROOFS,
  ...HEALTH_PROOFS,
  ...HOOK_PROOFS,
  ...HOST_PROOFS,
  ...LADDER_PROOFS,
  ...LIMIT_PROOFS,
  ...NOTICE_PROOFS,
  ...POLICY_PROOFS,
  ...PRICE_PROOFS,
  ...QUALITY_PROOFS,
  ...SANDBOX_PROOFS,
  ...STALE_PROOFS,
  ...TRIAGE_PROOFS,
  ...WORKSPACE_PROOFS,
];
