import type { SentNotice } from "../../src/model/settings/notice.ts";

export const sampleNotice: SentNotice = {
  id: "msg_0000000001",
  at: 1_700_000_000_000,
  kind: "escalation",
  run: "run_1",
  title: "Step build needs you",
  text: "The third check failed.\n<!channel> \u001b[31mred — grüße",
  reason: "check_failed",
  owner: "ada",
  command: "holdfast unblock esc_1",
  escalation: "esc_1",
  link: "http://127.0.0.1:4377/inbox?item=esc_1",
};
