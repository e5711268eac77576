/** Where models are served, by name, host or path. */
const PROVIDERS =
  /\b(?:anthropic|claude|openai|chatgpt|codex|gpt-?\d|gemini|vertex ?ai|googleapis|google\.dev|openrouter|opencode|mistral|groq|grok|x\.ai|deepseek|together|fireworks|azure|bedrock|cohere|cerebras|moonshot|kimi|z\.ai|qwen|dashscope|copilot|ollama|litellm|llm|models?|tokens?|localhost|127\.0\.0\.1)\b|\/v1(?:beta)?\/(?:chat|messages|responses|completions|models)\b/i;

/** Services that agents use beside their model: code hosts, registries, websites. */
const OTHERS =
  /\b(?:github|gitlab|bitbucket|gitea|npm|npmjs|yarnpkg|pypi|pip|crates\.io|cargo|rubygems|docker(?:hub| hub)?|ghcr|quay\.io|maven|hugging ?face|wikipedia|reddit|stack ?overflow|stackexchange|twitter|discord|slack|telegram|jira|atlassian|confluence|notion|figma|sentry|stripe|shopify|twilio|sendgrid|mailgun|brave search|duckduckgo|bing|serpapi|tavily|cloudflare|crawler|website|web ?page|web ?fetch|web ?search|webhook)\b/i;

/** Only they say it so. */
const OTHERS_WORDS =
  /\bpull rate limit\b|\bapi rate limit exceeded for (?:user|installation|site|\d)|\b(?:secondary|unauthenticated) rate limit\b|\btoomanyrequests:/i;

const ADDRESS = /\bhttps?:\/\/[\w.-]{1,200}|\bfrom (?:[\w-]{1,60}\.){1,4}[a-z]{2,12}\b/gi;
/** Pages that providers send people to stand beside their messages; what was asked for is a request's address. */
const REQUESTED =
  /\b(?:get|post|put|head|fetch(?:ing|ed)?|request(?:ing)? (?:to|for)|download(?:ing|ed)?|clon(?:e|ing)|access|visit(?:ing)?|curl|wget|getting|from|for url:?) ['"]?(?:https?:\/\/|(?:[\w-]{1,60}\.){1,4}[a-z]{2,12}\b)|(?<=https?:\/\/\S{1,200}) {1,2}(?:returned|responded|answered|->|=>|failed|gave|said)/i;

/**
 * Whether a limit that a text states is some other service's than the model provider's: one that is named, or the one
 * whose address was asked. To wait with the account's work would not help, and others on it are not concerned.
 */
export function isOtherService(text: string): boolean {
  if (OTHERS_WORDS.test(text)) return true;
  const named = text.replaceAll(ADDRESS, " ");
  if (OTHERS.test(named)) return !PROVIDERS.test(named);
  return REQUESTED.test(text) && !PROVIDERS.test(text);
}
