/** Why a test of real agents or terminals does not run here; false where it does. They take minutes and gigabytes. */
export const agentsTier: string | false =
  process.env["HOLDFAST_TEST_AGENTS"] === "1" ? false : "takes long: npm run test:agents runs it";
