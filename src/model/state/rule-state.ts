import type { HookPoint, HookReport } from "../flow/hook.ts";

/** What policies and hooks have said. */
export interface RuleState {
  /** By policy and step or attempt: a person is asked, or it may pass. */
  policies: Record<string, "asked" | "passed">;
  /** Who began the last attempts: roles, or agents. */
  lastRoles: string[];
  /** By hook, point and subject. */
  hooks: Record<
    string,
    {
      readonly outcome: "open" | "asked" | "passed";
      readonly reason?: "hook_block" | "hook_tamper" | "in_doubt";
      readonly why?: string;
      readonly step: string | undefined;
      readonly report: HookReport | null;
    }
  >;
  hookRuns: number;
  /** What has happened and has hooks to be called for. */
  owed: { readonly point: HookPoint; readonly subject: string; readonly step?: string }[];
  /** Hooks that an owner which is gone had begun. */
  doubted: string[];
}
