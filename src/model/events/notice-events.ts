import { z } from "zod";
import { event } from "./define-event.ts";
import { idSchema, nameSchema } from "../ids.ts";
import { noticeSchema } from "../settings/notice.ts";

/** What becomes of notices to people. */
export const NOTICE_EVENTS = {
  NoticeQueued: event("A notice is to be sent to people; delivery is tried until it has arrived.", () =>
    z.object({ notice: noticeSchema, channel: nameSchema }),
  ),
  NoticeRetryScheduled: event(
    "A notice did not arrive and will be sent again, not before the time named.",
    () => z.object({ id: idSchema, notBefore: z.number(), why: z.string() }),
  ),
  NoticeDropped: event("A notice will not be sent any more; it did not arrive.", () =>
    z.object({ id: idSchema, why: z.string() }),
  ),
};
