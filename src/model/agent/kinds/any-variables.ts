import type { OwnVariables } from "./agent-traits.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";

const MODEL_KEYS: readonly string[] = [
  ...["OPENROUTER_*", "GROQ_*", "MISTRAL_*", "XAI_*", "DEEPSEEK_*", "TOGETHER_*", "FIREWORKS_*"],
  ...["CEREBRAS_*", "COHERE_*", "PERPLEXITY_*", "MOONSHOT_*", "ZHIPU_*", "ZAI_*", "DASHSCOPE_*"],
  ...["MINIMAX_*", "NVIDIA_API_KEY", "HUGGINGFACE_*", "HF_*", "OLLAMA_*", "LMSTUDIO_*", "LITELLM_*"],
  ...["AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN", "GOOGLE_GENERATIVE_AI_*", "AZURE_RESOURCE_NAME"],
  ...["AZURE_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
];

/** For programs that may be any agent, and for agents of any provider: what all the others read. */
export const ANY_VARIABLES: OwnVariables = {
  names: [
    ...[claude, codex, gemini].flatMap(({ variables }) => variables.names),
    ...MODEL_KEYS,
    ...["OPENCODE_*", "GOOSE_*", "AMP_*", "CURSOR_*", "COPILOT_*", "QWEN_*", "AIDER_*", "CLINE_*"],
  ],
  clouds: { ...claude.variables.clouds, ...gemini.variables.clouds },
};
