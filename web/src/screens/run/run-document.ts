import type { StatusView } from "../../../../src/views/status/status.ts";

/** What `status` says of a run: the one projection that every list and every detail come from. */
export type RunDocument = StatusView;
