import type { Placement } from "../host/placement.ts";
import type { Escalation } from "../requests/blocked.ts";
import type { Notice } from "../settings/notice.ts";
import type { ApproverKey, Principal } from "../requests/principal.ts";
import type { RunRequest } from "../requests/requests.ts";

export interface OpenRequest {
  readonly id: string;
  readonly request: RunRequest;
  readonly by: string;
  readonly principal: Principal;
}

/** What a run's state holds of those who ask something of it. */
export interface AskedState {
  requests: OpenRequest[];
  /** Which hosts may work it; absent: any. */
  readonly placement?: Placement;
  /** Whose proofs count at its gates; none where the run is of a version that asked for no proof. */
  readonly approverKeys?: readonly ApproverKey[];
}

export interface NoticeState {
  readonly notice: Notice;
  readonly channel: string;
  /** Tries that did not arrive. */
  tries: number;
  notBefore: number;
  /** Why the last try failed, as long as nothing was decided about it. */
  lastFailure: { text: string; terminal: boolean; retryAfterMs: number } | null;
  /** Why the last try failed, for people. */
  lastWhy: string | null;
}

export interface OpenEscalation extends Escalation {
  readonly raisedAt: number;
  /** When a person was last notified. */
  notifiedAt: number;
}
