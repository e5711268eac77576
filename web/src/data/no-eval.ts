import { z } from "zod";

// The schemas would try whether they may make functions of texts; the policy of the page refuses that, and reports it.
// This is imported before anything that has schemas.
z.config({ jitless: true });
