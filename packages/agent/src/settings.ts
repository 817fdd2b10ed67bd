/** `@longhand/agent/settings`: what a configuration is checked against. It loads nothing else, so that checking one stays quick. */

export { HOSTED_PROVIDERS, type HostedProvider } from "./models/hosted-providers.ts";
export { EXAMPLE_MODELS, suggestHostedModel } from "./models/suggest-model.ts";
export { suggestName } from "./suggest-name.ts";
export { TOOL_NAMES } from "./tools/tool-names.ts";
export { usualAnswerTokens } from "./turn/usual-answer-tokens.ts";
