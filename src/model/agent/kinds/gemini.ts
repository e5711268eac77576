import { type AgentTraits, HEADLESS, SPOKEN } from "./agent-traits.ts";
import { VERTEX } from "./clouds.ts";

export const gemini: AgentTraits = {
  is: "vendor",
  asksNobody: true,
  continuesBrokenTurn: false,
  output: "events",
  capabilities: HEADLESS,
  claim: { ...SPOKEN, claims: "its event `result` with the status `success` after an answer with words" },
  variables: {
    names: [
      ...["GEMINI_*", "GOOGLE_API_KEY", "GOOGLE_GENAI_*", "GOOGLE_GEMINI_*", "GOOGLE_CLOUD_PROJECT"],
      ...["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_BASE_URL", "CODE_ASSIST_*", "SEATBELT_PROFILE", "OTEL_*"],
    ],
    clouds: { GOOGLE_GENAI_USE_VERTEXAI: VERTEX, GOOGLE_GENAI_USE_GCA: VERTEX },
  },
  obeys: { rules: ["GEMINI.md"], settings: [".gemini/"], ownWrites: [] },
  hosts: [
    ...["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "aiplatform.googleapis.com"],
    ...["oauth2.googleapis.com", "accounts.google.com"],
  ],
};
