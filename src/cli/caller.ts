import type { Principal } from "../model/requests/principal.ts";

/** Who calls a command, and under which id what is asked is kept. */
export interface Caller {
  readonly by: string;
  readonly principal: Principal;
  /** The id to ask under, where the one who asks has named it: asked again, it is asked once. */
  readonly requestId?: string;
}
