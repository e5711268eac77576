/** How a status looks and reads. A shape and a word stand for it, and a colour only beside them. */
export const STATUS_KINDS = [
  ...(["running", "waiting", "needs_you", "blocked", "done", "unverified", "failed", "cancelled"] as const),
  ...(["paused", "queued", "unsupervised", "stuck", "degraded"] as const),
] as const;
export type StatusKind = (typeof STATUS_KINDS)[number];

export const STATUS_SHAPES: Readonly<Record<StatusKind, string>> = {
  running: "●",
  waiting: "◷",
  needs_you: "◆",
  blocked: "■",
  done: "✓",
  unverified: "✓?",
  failed: "✕",
  cancelled: "⊘",
  paused: "‖",
  queued: "◌",
  unsupervised: "○",
  stuck: "▲",
  degraded: "△",
};

interface Standing {
  readonly status: string;
  readonly group?: string | undefined;
  readonly end?: string | null | undefined;
  readonly health?: string | undefined;
  /** `none` where nobody supervises it although something is due. */
  readonly supervision?: string | null | undefined;
}

/** What is shown of a run: that nobody supervises it counts before what it last was. */
export function statusOf({ status, group, end, health, supervision }: Standing): StatusKind {
  switch (status) {
    case "completed":
      return end === "unverified" ? "unverified" : "done";
    case "failed":
      return "failed";
    case "cancelled":
      return "cancelled";
    case "blocked":
      return "blocked";
    case "awaiting_approval":
      return "needs_you";
    default:
      break;
  }
  if (supervision === "none") return "unsupervised";
  if (status === "paused" || status === "pausing") return "paused";
  if (group === "needs_you") return "needs_you";
  if (group === "waiting" || health === "waiting") return "waiting";
  return status === "queued" ? "queued" : "running";
}

/** What troubles a run that works, beside its status; null where nothing does. */
export function troubleOf(health: string | undefined): StatusKind | null {
  if (health === "stuck" || health === "crashed") return "stuck";
  return health === "degraded" ? "degraded" : null;
}
