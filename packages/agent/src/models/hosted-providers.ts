/** Providers that want a key. The one list of them: whoever reads keys, and hides them, goes by it. */
export const HOSTED_PROVIDERS = ["openai", "anthropic"] as const;

export type HostedProvider = (typeof HOSTED_PROVIDERS)[number];
